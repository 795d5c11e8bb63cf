#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Which elements of x and y meet under a tap of the window.
namespace aclimb::convolution_backward {

struct Span {
  int64_t begin, end;
  bool Empty() const { return begin >= end; }
};

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

// The element of y, for kGradX, or of x that position `at` of the other meets; -1 when there is
// none.
inline int64_t SourceAt(const Geometry& g, Task task, int d, int64_t at, int64_t tap) {
  if (task == Task::kGradX) return WindowAt(g, d, at, tap);
  const int64_t met = Meets(g, d, at, tap);
  return met < g.in[d] ? std::max<int64_t>(met, -1) : -1;
}

}  // namespace aclimb::convolution_backward
