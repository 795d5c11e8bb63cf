#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/core/tensor_view.h"

namespace aclimb::convolution_backward {

inline constexpr int kDims = 3;  // depth, height, width; fewer dimensions embed with extent 1

// Products of sizes that a program may make absurdly large saturate: an absurd window must end in
// an absurd workspace size, not in a small one.
inline int64_t SaturatedProduct(int64_t a, int64_t b) {
  constexpr int64_t kMost = int64_t{1} << 56;
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) || result > kMost ? kMost : result;
}

// Some numbers side by side: [first, last).
struct Range {
  int64_t first = 0, last = 0;

  bool Empty() const { return first >= last; }
  int64_t Count() const { return last - first; }
};

// Of `count` numbers start, start + step, ..., which lie in [0, extent). `step` is at least 1.
inline Range Inside(int64_t start, int64_t step, int64_t count, int64_t extent) {
  const int64_t first = start < 0 ? CeilDivide(-start, step) : 0;
  const int64_t last = std::min(extent > start ? (extent - 1 - start) / step + 1 : 0, count);
  return {std::min(first, last), last};
}

// A convolution y = conv(x, weight) without its data. Gradients of a transposed convolution are
// operations on the same object with the roles exchanged, so x is always the side that padding
// applies to: the input of a normal convolution, the gradient of the output of a transposed one.
//   x       [batch, groups * x_channels, in...]
//   y       [batch, groups * y_channels, out...]
//   weight  [groups * y_channels, x_channels, kernel...]
struct Geometry {
  int64_t batch = 0;
  int64_t groups = 1;
  int64_t x_channels = 0;  // per group
  int64_t y_channels = 0;  // per group
  int64_t in[kDims] = {1, 1, 1};
  int64_t out[kDims] = {1, 1, 1};
  int64_t kernel[kDims] = {1, 1, 1};
  int64_t stride[kDims] = {1, 1, 1};
  int64_t dilation[kDims] = {1, 1, 1};
  int64_t pad_begin[kDims] = {0, 0, 0};
  int64_t pad_end[kDims] = {0, 0, 0};

  bool operator==(const Geometry&) const = default;

  int64_t InSize() const { return in[0] * in[1] * in[2]; }
  int64_t OutSize() const { return out[0] * out[1] * out[2]; }
  int64_t KernelSize() const { return kernel[0] * kernel[1] * kernel[2]; }
  bool HasStrides() const { return stride[0] > 1 || stride[1] > 1 || stride[2] > 1; }
  // Every element of x meets one window, and that window nothing else.
  bool IsOneToOne() const {
    return KernelSize() == 1 && !HasPadding() && std::equal(in, in + kDims, out) && !HasStrides();
  }
  bool HasPadding() const {
    const auto some = [](int64_t pad) { return pad > 0; };
    return std::any_of(pad_begin, pad_begin + kDims, some) ||
           std::any_of(pad_end, pad_end + kDims, some);
  }
  // Planes of height and width, and no padding of the depth.
  bool IsFlat() const {
    return in[0] == 1 && out[0] == 1 && kernel[0] == 1 && pad_begin[0] == 0 && pad_end[0] <= 0;
  }
};

// What a task computes from x, y and weight.
enum class Task : uint8_t {
  kForward,     // y from x and weight: gradInput of a transposed convolution
  kGradX,       // x from y and weight: gradInput of a normal one
  kGradWeight,  // weight from x and y
};
inline constexpr Task kTasks[] = {Task::kForward, Task::kGradX, Task::kGradWeight};

// x, y and weight of a convolution. As results those that are wanted exist.
template <typename T>
struct Triple {
  T x, y, weight;

  T& Of(Task task) { return task == Task::kForward ? y : task == Task::kGradX ? x : weight; }
  const T& Of(Task task) const { return const_cast<Triple*>(this)->Of(task); }
};

// Of a group, of a task that yields pixels: channels of the result, and channels that it sums.
inline int64_t ResultChannels(const Geometry& g, Task task) {
  return task == Task::kForward ? g.y_channels : g.x_channels;
}
inline int64_t SourceChannels(const Geometry& g, Task task) {
  return task == Task::kForward ? g.x_channels : g.y_channels;
}

// Terms of a sum of a task, at most.
int64_t SumTerms(const Geometry& geometry, Task task);

// The attributes as the program passed them, one entry for each spatial dimension.
struct Attributes {
  std::vector<int64_t> stride, dilation, pad_begin, pad_end, output_padding;
};

// Expands the arrays of a call: one entry stands for every dimension, and in two dimensions padding
// and outputPadding may have four entries: top, bottom, left, right. Nothing when a length fits
// neither; `wrong` then names the array.
std::optional<Attributes> Expand(int spatial_dims, const std::vector<int64_t>& stride,
                                 const std::vector<int64_t>& padding,
                                 const std::vector<int64_t>& dilation,
                                 const std::vector<int64_t>& output_padding,
                                 std::string* wrong = nullptr);

// Number of window positions along one dimension: floor((in + pads - dilation * (kernel - 1) - 1) /
// stride) + 1; nothing when the window is larger than the padded input, or a number overflows
// int64.
std::optional<int64_t> WindowCount(int64_t in, int64_t pad_begin, int64_t pad_end, int64_t kernel,
                                   int64_t dilation, int64_t stride);

// Positions of y whose tap `tap` meets x along dimension d.
inline Range WindowsInside(const Geometry& g, int d, int64_t tap) {
  return Inside(tap * g.dilation[d] - g.pad_begin[d], g.stride[d], g.out[d], g.in[d]);
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

// The geometry of checked arguments. `x`, `y` and `weight` have equal rank 3, 4 or 5.
Geometry MakeGeometry(const std::vector<int64_t>& x, const std::vector<int64_t>& y,
                      const std::vector<int64_t>& weight, int64_t groups,
                      const Attributes& attributes);

// The same convolution of planes without gaps, with dimensions of one element first.
Geometry ShortDimensionsFirst(const Geometry& geometry);

// Floating-point operations of one task: a multiplication and an addition for each pair of channels
// and each tap that meets an element instead of padding.
double FlopsOf(const Geometry& geometry);

// A view of rank 3, 4 or 5 as [a, b, depth, height, width].
TensorView Embed(const TensorView& view);

}  // namespace aclimb::convolution_backward
