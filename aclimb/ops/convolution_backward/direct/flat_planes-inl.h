// Tensors to and from the planes of flat.h. Included once per instruction set.
#if defined(ACLIMB_FLAT_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_FLAT_PLANES_INL_H_
#undef ACLIMB_FLAT_PLANES_INL_H_
#else
#define ACLIMB_FLAT_PLANES_INL_H_
#endif

#include <algorithm>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/direct/flat.h"
#include "aclimb/ops/convolution_backward/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {

// The first position of a block, counted as the axis counts.
HWY_INLINE void BlockStart(const FlatGeometry& flat, int64_t block, int64_t (&start)[kDims]) {
  for (int d = kDims - 1; d >= 0; --d) {
    const FlatAxis& axis = flat.axis[d];
    start[d] = axis.begin + block % axis.Blocks() * axis.block;
    block /= axis.Blocks();
  }
}

// A block of x in one phase. Positions count from u0.
HWY_INLINE Window PhaseWindow(const FlatGeometry& flat, const FlatPhase& phase,
                              const int64_t (&u0)[kDims]) {
  Window window;
  for (int d = 0; d < kDims; ++d) {
    const FlatAxis& axis = flat.axis[d];
    window.step[d] = axis.stride;
    window.start[d] = u0[d] * axis.stride + phase.phase[d] - axis.base;
    window.limit[d] = axis.pitch;
  }
  return window;
}

// Fills planes of `images` images, and zeros behind them up to `stride_out` elements. `from` is the
// channel of the first image, the first one of a pair.
template <Form kForm, typename T>
HWY_INLINE void PackPlane(const FlatGeometry& flat, const Window& window, const TensorView& view,
                          const T* from, int64_t images, int64_t stride_out,
                          PlaneElement<kForm>* to, int64_t second = kNoSecond) {
  const Window::Range depth = window.Inside(0, view.shape[2]);
  const Window::Range height = window.Inside(1, view.shape[3]);
  const Window::Range width = window.Inside(2, view.shape[4]);
  const int64_t pitch = flat.axis[2].pitch;
  const int64_t stride = window.Stride(2, width, view);
  const int64_t row_stride = window.Stride(1, height, view);
  const bool empty = height.Empty() || width.Empty();
  const int64_t corner = empty ? 0 : window.Offset(1, height, view) + window.Offset(2, width, view);
  PlaneElement<kForm>* at = to;
  for (int64_t n = 0; n < images; ++n) {
    for (int64_t z = 0; z < flat.axis[0].pitch; ++z) {
      const int64_t rows = flat.axis[1].pitch;
      if (z < depth.first || z >= depth.last || empty) {
        ZeroRun(at, 0, rows * pitch);
        at += rows * pitch;
        continue;
      }
      const T* slice = from + n * view.stride[0] + window.Offset(0, {z, z + 1}, view) + corner;
      ZeroRun(at, 0, height.first * pitch);
      PackRows<kForm>(slice, stride, row_stride, height.last - height.first, width, pitch,
                      at + height.first * pitch, second);
      ZeroRun(at, height.last * pitch, rows * pitch);
      at += rows * pitch;
    }
  }
  // Room for the last vector's overshoot stays.
  ZeroRun(at, 0, stride_out - (at - to) - 16);
}

// Writes even[0], odd[0], even[1], odd[1], ... for `count` pairs.
template <typename T>
HWY_INLINE void UnpackPairs(const float* even, const float* odd, int64_t count, T* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float pairs[2 * HWY_MAX_BYTES / sizeof(float)];
  for (int64_t i = 0; i < count; i += lanes) {
    hn::StoreInterleaved2(hn::LoadU(d, even + i), hn::LoadU(d, odd + i), d, pairs);
    const int64_t left = 2 * (count - i);
    for (int64_t half = 0; half < 2; ++half) {
      const auto value = hn::Load(d, pairs + half * lanes);
      T* at = to + 2 * i + half * lanes;
      if (left >= (half + 1) * lanes) {
        StoreF32(d, value, at);
      } else if (left > half * lanes) {
        StoreFirst(d, value, at, left - half * lanes);
      }
    }
  }
}

// The positions of a row before and behind the pairs.
template <typename T>
HWY_INLINE void UnpackEnds(const float* from, const Window::Range& range, int64_t first,
                           int64_t last, T* line, int64_t stride) {
  for (int64_t j = range.first; j < first; ++j) line[j * stride] = FromFloat<T>(from[j]);
  for (int64_t j = std::max(last, range.first); j < range.last; ++j) {
    line[j * stride] = FromFloat<T>(from[j]);
  }
}

// The inverse of PackPlane, for the elements inside the tensor. `next` may be the plane of the
// phase that differs by one in width only, when the stride there is two: both are then written at
// once.
template <typename T>
HWY_INLINE void UnpackPlane(const FlatGeometry& flat, const Window& window, const float* from,
                            const float* next, int64_t images, const TensorView& view, T* to) {
  const Window::Range depth = window.Inside(0, view.shape[2]);
  const Window::Range height = window.Inside(1, view.shape[3]);
  const Window::Range width = window.Inside(2, view.shape[4]);
  const int64_t pitch = flat.axis[2].pitch;
  // The other phase's positions; pairs are those that both have.
  Window other = window;
  other.start[2] += 1;
  const Window::Range odd = other.Inside(2, view.shape[4]);
  const int64_t first = std::max(width.first, odd.first);
  const int64_t pairs = std::max<int64_t>(0, std::min(width.last, odd.last) - first);
  const int64_t rows = height.last - height.first;
  if (height.Empty() || (width.Empty() && next == nullptr)) return;
  const int64_t stride = window.Stride(2, width, view);
  const int64_t row_stride = window.Stride(1, height, view);
  for (int64_t n = 0; n < images; ++n) {
    for (int64_t z = depth.first; z < depth.last; ++z) {
      const int64_t offset = n * flat.plane + (z * flat.axis[1].pitch + height.first) * pitch;
      T* line = to + n * view.stride[0] + window.Offset(0, {z, z + 1}, view) +
                window.Offset(1, height, view);
      if (next == nullptr) {
        UnpackRows(from + offset + width.first, pitch, rows, width.last - width.first,
                   line + window.Offset(2, width, view), stride, row_stride);
        continue;
      }
      line += window.start[2] * view.stride[4];
      for (int64_t row = 0; row < rows; ++row) {
        const float* even = from + offset + row * pitch;
        const float* odd_row = next + offset + row * pitch;
        UnpackPairs(even + first, odd_row + first, pairs, line + 2 * first);
        UnpackEnds(even, width, first, first + pairs, line, 2);
        UnpackEnds(odd_row, odd, first, first + pairs, line + 1, 2);
        line += row_stride;
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
