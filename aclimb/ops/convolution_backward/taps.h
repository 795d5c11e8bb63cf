#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Which elements of x and y meet under a tap of the window.
namespace aclimb::convolution_backward {

// Positions of y whose tap `tap` meets x along dimension d.
inline Range WindowsInside(const Geometry& g, int d, int64_t tap) {
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
