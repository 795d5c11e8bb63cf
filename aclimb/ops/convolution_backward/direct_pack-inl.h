// Rows of a tensor to and from the zero-padded float32 planes of flat.h. Included once per
// instruction set.
#if defined(ACLIMB_DIRECT_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_DIRECT_PACK_INL_H_
#undef ACLIMB_DIRECT_PACK_INL_H_
#else
#define ACLIMB_DIRECT_PACK_INL_H_
#endif

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/flat.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::LoadFirst;
using aclimb::HWY_NAMESPACE::StoreF32;
using aclimb::HWY_NAMESPACE::StoreFirst;

// Which elements of a channel stand in a plane: position j of dimension d is element
// j * step[d] + start[d], and zero outside the tensor and from limit[d] on.
struct Window {
  int64_t step[kDims];
  int64_t start[kDims];
  int64_t limit[kDims];

  struct Range {
    int64_t first, last;  // [first, last) is inside
  };
  Range Inside(int d, int64_t extent) const {
    int64_t first = start[d] >= 0 ? 0 : CeilDivide(-start[d], step[d]);
    int64_t last = extent - 1 < start[d] ? 0 : (extent - 1 - start[d]) / step[d] + 1;
    last = std::min(last, limit[d]);
    first = std::min(first, last);
    return {first, last};
  }
};

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

// Elements 0, 2, 4, ... of the first `count`, at most 2 * Lanes(d); zeros behind them.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadEven(D d, const T* from, int64_t count) {
#if HWY_TARGET == HWY_SCALAR
  (void)count;
  return LoadF32(d, from);
#else
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto load = [d](const T* at, int64_t n) HWY_ATTR {
    return n >= static_cast<int64_t>(hn::Lanes(d)) ? LoadF32(d, at) : LoadFirst(d, at, n);
  };
  const auto low = load(from, count);
  const auto high = count > lanes ? load(from + lanes, count - lanes) : hn::Zero(d);
  return hn::ConcatEven(d, high, low);
#endif
}

// Zeros from `at` to `end`, and up to a vector beyond.
HWY_INLINE void ZeroRun(float* to, int64_t at, int64_t end) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; at < end; at += lanes) hn::StoreU(hn::Zero(d), d, to + at);
}

// One row: zeros, `count` elements `stride` apart, zeros up to `pitch` and up to a vector beyond.
template <typename T>
HWY_INLINE void PackRow(const T* from, int64_t stride, int64_t before, int64_t count, int64_t pitch,
                        float* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  ZeroRun(to, 0, before);
  float* at = to + before;
  int64_t i = 0;
  if (stride == 1) {
    for (; i + lanes <= count; i += lanes) hn::StoreU(LoadF32(d, from + i), d, at + i);
    if (i < count) {
      hn::StoreU(LoadFirst(d, from + i, count - i), d, at + i);
      i += lanes;
    }
  } else if (stride == 2) {
    for (; i < count; i += lanes) {
      hn::StoreU(LoadEven(d, from + 2 * i, 2 * (count - i) - 1), d, at + i);
    }
  } else {
    for (; i < count; ++i) at[i] = ToFloat(from[i * stride]);
  }
  ZeroRun(to, before + i, pitch);
}

// Fills planes of `images` images, and zeros behind them up to `stride_out` elements. `from` is the
// channel of the first image.
template <typename T>
HWY_INLINE void PackPlane(const FlatGeometry& flat, const Window& window, const TensorView& view,
                          const T* from, int64_t images, int64_t stride_out, float* to) {
  const Window::Range depth = window.Inside(0, view.shape[2]);
  const Window::Range height = window.Inside(1, view.shape[3]);
  const Window::Range width = window.Inside(2, view.shape[4]);
  const int64_t pitch = flat.axis[2].pitch;
  const int64_t stride = window.step[2] * view.stride[4];
  const int64_t column = (width.first * window.step[2] + window.start[2]) * view.stride[4];
  float* at = to;
  for (int64_t n = 0; n < images; ++n) {
    for (int64_t z = 0; z < flat.axis[0].pitch; ++z) {
      const int64_t rows = flat.axis[1].pitch;
      if (z < depth.first || z >= depth.last || width.first == width.last) {
        ZeroRun(at, 0, rows * pitch);
        at += rows * pitch;
        continue;
      }
      const T* slice = from + n * view.stride[0] +
                       (z * window.step[0] + window.start[0]) * view.stride[2] + column;
      ZeroRun(at, 0, height.first * pitch);
      for (int64_t row = height.first; row < height.last; ++row) {
        const T* line = slice + (row * window.step[1] + window.start[1]) * view.stride[3];
        PackRow(line, stride, width.first, width.last - width.first, pitch, at + row * pitch);
      }
      ZeroRun(at, height.last * pitch, rows * pitch);
      at += rows * pitch;
    }
  }
  // Room for the last vector's overshoot stays.
  ZeroRun(at, 0, stride_out - (at - to) - 16);
}

// Writes the first `count` floats to elements `stride` apart.
template <typename T>
HWY_INLINE void UnpackRow(const float* from, int64_t count, T* to, int64_t stride) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (stride != 1) {
    for (int64_t i = 0; i < count; ++i) to[i * stride] = FromFloat<T>(from[i]);
    return;
  }
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) StoreF32(d, hn::LoadU(d, from + i), to + i);
  if (i < count) StoreFirst(d, hn::LoadU(d, from + i), to + i, count - i);
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
  for (int64_t n = 0; n < images; ++n) {
    for (int64_t z = depth.first; z < depth.last; ++z) {
      for (int64_t row = height.first; row < height.last; ++row) {
        const int64_t offset = n * flat.plane + (z * flat.axis[1].pitch + row) * pitch;
        T* line = to + n * view.stride[0] +
                  (z * window.step[0] + window.start[0]) * view.stride[2] +
                  (row * window.step[1] + window.start[1]) * view.stride[3] +
                  window.start[2] * view.stride[4];
        const int64_t stride = window.step[2] * view.stride[4];
        if (next == nullptr) {
          UnpackRow(from + offset + width.first, width.last - width.first,
                    line + width.first * stride, stride);
          continue;
        }
        UnpackPairs(from + offset + first, next + offset + first, pairs, line + first * stride);
        UnpackEnds(from + offset, width, first, first + pairs, line, stride);
        UnpackEnds(next + offset, odd, first, first + pairs, line + view.stride[4], stride);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
