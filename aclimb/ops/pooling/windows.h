#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclimb/core/divide.h"

namespace aclimb::pooling {

// Larger extents, windows, steps and paddings are refused: sums and products of two of them do not
// overflow, and the number of an element within a plane fits in 64 bits.
inline constexpr int64_t kMost = (int64_t{1} << 31) - 1;

// Elements [begin, end).
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return std::max<int64_t>(0, end - begin); }
  friend bool operator==(const Range& a, const Range& b) = default;
};

// Windows that slide along one dimension of `in` elements.
struct Axis {
  int64_t in = 0;
  int64_t out = 0;  // windows
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
  int64_t dilation = 1;

  // From a window's first to its last element.
  int64_t Span() const { return dilation * (kernel - 1) + 1; }
  // Of window `o`: below 0 in the padding.
  int64_t Start(int64_t o) const { return o * stride - pad_begin; }
  // Which of the window's elements are not in the padding.
  Range Taps(int64_t o) const {
    const int64_t start = Start(o);
    // Most windows lie within, and divisions take longer than to see that.
    if (start >= 0 && start + Span() <= in) return {0, kernel};
    return {std::max<int64_t>(0, CeilDivide(-start, dilation)),
            std::min(kernel, FloorDivide(in - 1 - start, dilation) + 1)};
  }
  // For which windows element `tap` is not in the padding.
  Range Windows(int64_t tap) const {
    const int64_t first = tap * dilation - pad_begin;
    return {std::max<int64_t>(0, CeilDivide(-first, stride)),
            std::min(out, FloorDivide(in - 1 - first, stride) + 1)};
  }
};

// Which windows have an element that is not in the padding, for each element of a window. Finding
// that takes divisions, so the first ones are kept.
class WindowsOfTaps {
 public:
  explicit WindowsOfTaps(const Axis& axis) : axis_(axis), kept_(std::min(axis.kernel, kMostKept)) {
    for (int64_t tap = 0; tap < kept_; ++tap) windows_[tap] = axis.Windows(tap);
  }
  static constexpr int64_t kMostKept = 8;
  Range operator[](int64_t tap) const { return tap < kept_ ? windows_[tap] : axis_.Windows(tap); }

 private:
  const Axis& axis_;
  Range windows_[kMostKept];
  int64_t kept_;
};

// How many windows there are. When `ceil`, there is one for what is left over behind the last, too,
// unless it would begin in the padding there. Below 1 when none fits.
inline int64_t WindowCount(const Axis& axis, bool ceil) {
  const int64_t room = axis.in + axis.pad_begin + axis.pad_end - axis.Span();
  const int64_t count = FloorDivide(room + (ceil ? axis.stride - 1 : 0), axis.stride) + 1;
  const bool in_padding = ceil && (count - 1) * axis.stride >= axis.in + axis.pad_begin;
  return in_padding ? count - 1 : count;
}

// The attributes of windows as operators have them, an entry for all dimensions or one for each.
struct WindowSizes {
  const std::vector<int64_t>& kernel;
  const std::vector<int64_t>& stride;    // none: that of the windows
  const std::vector<int64_t>& padding;   // none: 0; four: top, bottom, left, right
  const std::vector<int64_t>* dilation;  // null or none: 1
  bool ceil;
};

// Windows over the last two dimensions, or over the last three. What stands there is called a plane
// in either case; one of two dimensions has one layer.
struct Windows {
  int64_t planes = 1;
  // Planes that lie side by side: `planes` groups of so many.
  int64_t inner = 1;
  Axis depth = {.in = 1, .out = 1};
  Axis height, width;

  // Elements of a plane, and its windows.
  int64_t In() const { return depth.in * height.in * width.in; }
  int64_t Out() const { return depth.out * height.out * width.out; }
  // Of a window, at most, that are not in the padding.
  int64_t Taps() const {
    return std::min(depth.kernel, depth.in) * std::min(height.kernel, height.in) *
           std::min(width.kernel, width.in);
  }
};

// In the order of the dimensions.
inline constexpr std::array<Axis Windows::*, 3> kAxes = {&Windows::depth, &Windows::height,
                                                         &Windows::width};

inline int64_t EntryFor(const std::vector<int64_t>& values, size_t d, int64_t if_none) {
  return values.empty() ? if_none : values[values.size() == 1 ? 0 : d];
}

inline Axis AxisOf(const WindowSizes& sizes, size_t d, int64_t in) {
  Axis axis = {.in = in, .kernel = EntryFor(sizes.kernel, d, 1)};
  axis.stride = EntryFor(sizes.stride, d, axis.kernel);
  const bool both_ends = sizes.padding.size() == 4;
  axis.pad_begin = both_ends ? sizes.padding[2 * d] : EntryFor(sizes.padding, d, 0);
  axis.pad_end = both_ends ? sizes.padding[2 * d + 1] : axis.pad_begin;
  if (sizes.dilation != nullptr) axis.dilation = EntryFor(*sizes.dilation, d, 1);
  axis.out = WindowCount(axis, sizes.ceil);
  return axis;
}

// Over the last `dims` dimensions. `axis_of(d, in)` makes the axis of the d-th of them.
template <typename AxisOfDimension>
Windows MakeWindows(const std::vector<int64_t>& shape, size_t dims, AxisOfDimension axis_of) {
  Windows windows;
  const size_t first = shape.size() - dims;
  for (size_t d = 0; d < first; ++d) windows.planes *= shape[d];
  for (size_t d = 0; d < dims; ++d) {
    windows.*kAxes[kAxes.size() - dims + d] = axis_of(d, shape[first + d]);
  }
  return windows;
}
inline Windows WindowsOf(const std::vector<int64_t>& shape, size_t dims, const WindowSizes& sizes) {
  return MakeWindows(shape, dims, [&](size_t d, int64_t in) { return AxisOf(sizes, d, in); });
}
// Windows that share what there is equally, so many as `pooled` says: see AdaptiveWindow().
inline Windows SharingWindows(const std::vector<int64_t>& shape, size_t dims,
                              const std::vector<int64_t>& pooled) {
  return MakeWindows(shape, dims, [&](size_t d, int64_t in) {
    return Axis{.in = in, .out = pooled[pooled.size() - dims + d]};
  });
}

// The shape of what windows give.
inline std::vector<int64_t> PooledShape(std::vector<int64_t> shape, size_t dims,
                                        const Windows& windows) {
  for (size_t d = 1; d <= dims; ++d) {
    shape[shape.size() - d] = (windows.*kAxes[kAxes.size() - d]).out;
  }
  return shape;
}

// The shape of a mask: for each element of a window as many bytes as there are windows, and more.
inline std::vector<int64_t> MaskShape(std::vector<int64_t> shape, const Windows& windows) {
  const int64_t count = windows.height.out * windows.width.out;
  shape[shape.size() - 2] = windows.height.kernel * windows.width.kernel;
  shape[shape.size() - 1] = (CeilDivide(count, int64_t{16}) + 1) * 32;
  return shape;
}

// Where the window `o` of an adaptive pooling is, of `out` that share `in` elements.
inline Range AdaptiveWindow(int64_t o, int64_t in, int64_t out) {
  // o * in / out, rounded down, and (o + 1) * in / out, rounded up.
  return {o * (in / out) + o * (in % out) / out,
          (o + 1) * (in / out) + CeilDivide((o + 1) * (in % out), out)};
}

}  // namespace aclimb::pooling
