#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Positions and single elements for the repairs of repair.h.
namespace aclimb::convolution_backward {

inline constexpr uint32_t kInfinityBits = 0x7F800000u;

inline float ReadElement(const TensorView& view, int64_t offset) {
  switch (view.dtype) {
    case DType::kFloat16:
      return ToFloat(view.As<Float16>()[offset]);
    case DType::kBFloat16:
      return ToFloat(view.As<BFloat16>()[offset]);
    default:
      return view.As<float>()[offset];
  }
}

inline void WriteElement(const TensorView& view, int64_t offset, float value) {
  switch (view.dtype) {
    case DType::kFloat16:
      view.As<Float16>()[offset] = ToFloat16(value);
      return;
    case DType::kBFloat16:
      view.As<BFloat16>()[offset] = ToBFloat16(value);
      return;
    default:
      view.As<float>()[offset] = value;
  }
}

struct Span {
  int64_t begin, end;
  bool Empty() const { return begin >= end; }
};

// A step that leaves a row of `extent` elements at once, as `stride` does, but whose products do
// not overflow.
inline int64_t StepWithin(int64_t stride, int64_t extent) { return std::min(stride, extent); }

// Positions of y, within [0, out), whose tap `tap` meets x along dimension d.
inline Span WindowsInside(const Geometry& g, int d, int64_t tap) {
  const int64_t shift = g.pad_begin[d] - tap * g.dilation[d];  // o * stride >= shift
  const int64_t begin = std::max<int64_t>(0, CeilDivide(shift, g.stride[d]));
  const int64_t last = g.in[d] - 1 + shift;
  return {begin, last < 0 ? 0 : std::min(g.out[d], last / g.stride[d] + 1)};
}

// Where tap `tap` of the window at o meets x; negative or beyond the data in the padding.
inline int64_t Meets(const Geometry& g, int d, int64_t o, int64_t tap) {
  return o * g.stride[d] - g.pad_begin[d] + tap * g.dilation[d];
}

// The window whose tap `tap` meets x at i; -1 when there is none.
inline int64_t WindowAt(const Geometry& g, int d, int64_t i, int64_t tap) {
  const int64_t scaled = i + g.pad_begin[d] - tap * g.dilation[d];
  if (scaled < 0 || scaled % g.stride[d] != 0) return -1;
  const int64_t o = scaled / g.stride[d];
  return o < g.out[d] ? o : -1;
}

}  // namespace aclimb::convolution_backward
