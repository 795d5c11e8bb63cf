// Tensors to and from the planes of flat.h. Included once per instruction set.
#if defined(ACLIMB_FLAT_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_FLAT_PLANES_INL_H_
#undef ACLIMB_FLAT_PLANES_INL_H_
#else
#define ACLIMB_FLAT_PLANES_INL_H_
#endif

#include <algorithm>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/ops/convolution_backward/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {

// A block of positions, of a block of images.
struct FlatPlace {
  int64_t start[kDims];  // position, counted as the axes count
  int64_t image, images;
  int64_t length;  // of a plane, up to the last useful position

  FlatPlace(const DirectPlan& plan, int64_t number) {
    const FlatGeometry& flat = plan.flat;
    image = number / flat.blocks * flat.images;
    images = std::min(flat.images, plan.geometry.batch - image);
    length = flat.Length() - (flat.images - images) * flat.plane;
    int64_t block = number % flat.blocks;
    for (int d = kDims - 1; d >= 0; --d) {
      const FlatAxis& axis = flat.axis[d];
      start[d] = axis.begin + block % axis.Blocks() * axis.block;
      block /= axis.Blocks();
    }
  }
  // Some of the `all` channels of a group.
  Channels Of(int64_t group, int64_t all, const Range& some) const {
    return {image, images, group * all + some.first, group * all + some.last};
  }
};

// A block of x in one phase, with what taps reach behind it. Positions count from u0.
HWY_INLINE Window XWindow(const FlatGeometry& flat, int64_t index, const int64_t (&u0)[kDims]) {
  const FlatPhase phase = flat.Phase(index);
  Window window;
  for (int d = 0; d < kDims; ++d) {
    const FlatAxis& axis = flat.axis[d];
    window.step[d] = axis.stride;
    window.start[d] = u0[d] * axis.stride + phase.phase[d] - axis.base;
    window.limit[d] = axis.pitch;
  }
  return window;
}

// A block of y, or of u with what taps reach before it.
HWY_INLINE Window YWindow(const FlatGeometry& flat, const int64_t (&start)[kDims], bool reaches) {
  Window window;
  for (int d = 0; d < kDims; ++d) {
    const FlatAxis& axis = flat.axis[d];
    window.step[d] = 1;
    window.start[d] = start[d] - (reaches ? axis.reach : 0);
    window.limit[d] = reaches ? axis.pitch : axis.block;
  }
  return window;
}

// Fills planes of so many images, `pitch` positions along each dimension, with what is shown of a
// channel, the first one of a pair, and zeros around it. Returns their end, behind which a vector
// may have been written.
template <Form kForm, typename T>
HWY_INLINE PlaneElement<kForm>* PackPlane(const Shown& shown, const int64_t (&pitch)[kDims],
                                          const T* channel, int64_t images, int64_t image_stride,
                                          PlaneElement<kForm>* at, int64_t second) {
  const auto& [depth, height, width] = shown.inside;
  const int64_t depth_pitch = pitch[1] * pitch[2];
  for (int64_t n = 0; n < images; ++n) {
    const T* from = channel + n * image_stride + shown.first;
    for (int64_t z = 0; z < pitch[0]; ++z, at += depth_pitch) {
      if (z < depth.first || z >= depth.last) {
        ZeroRun(at, 0, depth_pitch);
        continue;
      }
      ZeroRun(at, 0, height.first * pitch[2]);
      PackRows<kForm>(from, shown.stride[2], shown.stride[1], height.Count(), width, pitch[2],
                      at + height.first * pitch[2], second);
      ZeroRun(at, height.last * pitch[2], depth_pitch);
      from += shown.stride[0];
    }
  }
  return at;
}

// The inverse of PackPlane, for the elements inside the tensor, to which the bias is added.
template <typename T>
HWY_INLINE void UnpackPlane(const FlatGeometry& flat, const Shown& shown, const float* from,
                            int64_t images, int64_t image_stride, T* to, float bias) {
  const auto& [depth, height, width] = shown.inside;
  const int64_t pitch = flat.axis[2].pitch;
  for (int64_t n = 0; n < images; ++n) {
    T* lines = to + n * image_stride + shown.first;
    for (int64_t z = depth.first; z < depth.last; ++z, lines += shown.stride[0]) {
      const int64_t first = n * flat.plane + (z * flat.axis[1].pitch + height.first) * pitch;
      UnpackRows(from + first + width.first, pitch, height.Count(), width.Count(), lines,
                 shown.stride[2], shown.stride[1], bias);
    }
  }
}

// Fills a plane of each channel, or pair of channels, for each of so many windows; all of a channel
// side by side. Where the plan's factors are pairs, bfloat16 becomes kForm, and else float32.
template <Form kForm, class WindowOf>
HWY_INLINE void PackPlanes(const DirectPlan& plan, const TensorView& view, const Channels& of,
                           int64_t windows, const WindowOf& window_of, void* to) {
  const auto& axis = plan.flat.axis;
  const int64_t pitch[kDims] = {axis[0].pitch, axis[1].pitch, axis[2].pitch};
  WithType(view.dtype, [&](auto element) HWY_ATTR {
    using T = decltype(element);
    const auto pack = [&](auto form) HWY_ATTR {
      constexpr int64_t kSome = form() == Form::kPairs ? 2 : 1;
      for (int64_t w = 0; w < windows; ++w) {
        const Shown shown(window_of(w), view);
        auto* plane = static_cast<PlaneElement<form()>*>(to) + w * plan.plane_stride;
        for (int64_t c = of.first; c < of.last; c += kSome) {
          auto* const end = PackPlane<form()>(
              shown, pitch, view.As<T>() + of.image * view.stride[0] + c * view.stride[1],
              of.images, view.stride[0], plane, c + 1 < of.last ? view.stride[1] : kNoSecond);
          // Room for the last vector's overshoot stays.
          ZeroRun(end, 0, plan.plane_stride - (end - plane) - 16);
          plane += windows * plan.plane_stride;
        }
      }
    };
    if constexpr (std::is_same_v<T, BFloat16>) {
      if (plan.UsesPairs()) return pack(std::integral_constant<Form, kForm>());
    }
    pack(std::integral_constant<Form, Form::kFloats>());
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
