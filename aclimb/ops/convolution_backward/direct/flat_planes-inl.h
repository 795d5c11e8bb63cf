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

// The inverse of PackPlane, for the elements inside the tensor.
template <typename T>
HWY_INLINE void UnpackPlane(const FlatGeometry& flat, const Window& window, const float* from,
                            int64_t images, const TensorView& view, T* to) {
  const Window::Range depth = window.Inside(0, view.shape[2]);
  const Window::Range height = window.Inside(1, view.shape[3]);
  const Window::Range width = window.Inside(2, view.shape[4]);
  if (height.Empty() || width.Empty()) return;
  const int64_t pitch = flat.axis[2].pitch;
  for (int64_t n = 0; n < images; ++n) {
    for (int64_t z = depth.first; z < depth.last; ++z) {
      const int64_t first = n * flat.plane + (z * flat.axis[1].pitch + height.first) * pitch;
      UnpackRows(from + first + width.first, pitch, height.last - height.first,
                 width.last - width.first,
                 to + n * view.stride[0] + window.Offset(0, {z, z + 1}, view) +
                     window.Offset(1, height, view) + window.Offset(2, width, view),
                 window.Stride(2, width, view), window.Stride(1, height, view));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
