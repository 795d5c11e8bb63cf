#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Depthwise convolutions of small square windows: both gradients in one pass, so that every tensor
// is read or written once. A plane of y is copied into float32 with zeros around it; x and its
// gradient are read and written where they are, unless vectors run across channels. An element of y
// that a tap brings to an element of x is multiplied by the weight for the gradient of x, and by
// the element of x for that of the weight.
//
// With strides s, element i of x stands at step m = (i + padding) / s, in one of s phases, and tap
// phase + s * q of the window brings element m - q of y to it. Sums of a channel are in one order,
// whatever the number of threads. Zeros that stand for padding may be multiplied.
namespace aclimb::convolution_backward {

struct Depthwise {
  Geometry geometry;
  bool gives_x = false, gives_weight = false;

  // Height and width.
  struct Axis {
    int64_t first = 0;  // element of y at position 0 of a packed line; may be negative
    int64_t steps = 0;
    int64_t lead = 0;  // phases of the first step that are no elements of x
  };
  Axis down, across;
  int64_t reach = 0;              // steps back from which taps bring elements of y
  int64_t pitch = 0;              // elements of a packed line
  int64_t lines = 0;              // of a block, which is packed at once, in steps down
  int64_t channels = 0;           // of a unit
  int64_t image_blocks = 1;       // whatever the team; their sums are added at the end
  int64_t images = 0;             // of a block of them
  int64_t images_in_vectors = 0;  // whose sums are held in float32, before they are added in double
  bool by_channels = false;
  int64_t plane = 0;       // elements of a packed block of y
  int64_t partial = 0;     // of a block of the gradient of x, where windows take several passes
  int64_t x_plane = 0;     // by channels: of a block of x, or of its gradient, or of windows
  int64_t slot_bytes = 0;  // scratch of a unit
  int slots = 1;           // units that may run at once

  int64_t Units() const { return CeilDivide(geometry.groups, channels) * image_blocks; }
  int64_t Weights() const { return geometry.groups * geometry.KernelSize(); }
  // Scratch: sums of blocks of images in double, slots.
  int64_t SumBytes() const {
    return gives_weight ? RoundUp(SaturatedProduct(8 * image_blocks, Weights()), 64) : 0;
  }
  int64_t ScratchBytes() const { return SumBytes() + slots * slot_bytes; }
};

// What RunDepthwise computes: one channel a group, windows of 3x3 or 5x5 with strides of one or
// two, of 7x7 without; no gaps.
bool FitsDepthwise(const Geometry& geometry);

// `threads` is the team of the run. At least one gradient is wanted.
Depthwise PlanDepthwise(const Geometry& geometry, bool gives_x, bool gives_weight, int threads);

// Embedded views: the operands, and the gradients of x and of the weight. The weight is float32
// without gaps; others may have any dtypes, but x and its gradient have one, and the elements of
// their rows and of those of y are side by side. What is not wanted, or not needed for it, is not
// looked at.
//   scratch  ScratchBytes() bytes, 64-byte aligned
void RunDepthwise(const Depthwise& plan, const Triple<TensorView>& operands,
                  const Triple<TensorView>& gradients, void* scratch);

// The vector code, compiled once per instruction set.

// The most elements of float32 that a vector may have.
inline constexpr int64_t kMostDepthwiseLanes = 16;

// A line that is packed may overshoot its end by so many elements, and sums read as far.
inline constexpr int64_t kDepthwiseSlack = 64;

// Of a block, where vectors run across channels.
inline constexpr int64_t kDepthwiseChannels = 16;

// What a unit works on: a few channels, and a block of images.
struct DepthwiseBounds {
  Range images, channels;
  int64_t first_sum;  // of its channels, in the sums of all units

  DepthwiseBounds(const Depthwise& plan, int64_t unit) {
    const Geometry& g = plan.geometry;
    const int64_t block = unit % plan.image_blocks;
    const int64_t channel = unit / plan.image_blocks * plan.channels;
    images = {block * plan.images, std::min((block + 1) * plan.images, g.batch)};
    channels = {channel, std::min(channel + plan.channels, g.groups)};
    first_sum = (block * g.groups + channel) * g.KernelSize();
  }
  // Whether the sums in float32 are added to those in double behind this image.
  bool EndsSums(const Depthwise& plan, int64_t image) const {
    return image + 1 == images.last || (image + 1 - images.first) % plan.images_in_vectors == 0;
  }
};

// Calls body(kernel, stride, gives_x, gives_weight) with those of the plan as constants.
template <int kKernel, int kStride, typename Body>
auto WithResults(const Depthwise& plan, const Body& body) {
  constexpr std::integral_constant<int, kKernel> kOfKernel;
  constexpr std::integral_constant<int, kStride> kOfStride;
  if (!plan.gives_x) return body(kOfKernel, kOfStride, std::false_type(), std::true_type());
  if (!plan.gives_weight) return body(kOfKernel, kOfStride, std::true_type(), std::false_type());
  return body(kOfKernel, kOfStride, std::true_type(), std::true_type());
}
template <typename Body>
auto WithWindow(const Depthwise& plan, const Body& body) {
  const bool strides = plan.geometry.stride[1] == 2;
  switch (plan.geometry.kernel[1]) {
    case 3:
      return strides ? WithResults<3, 2>(plan, body) : WithResults<3, 1>(plan, body);
    case 5:
      return strides ? WithResults<5, 2>(plan, body) : WithResults<5, 1>(plan, body);
    default:
      return WithResults<7, 1>(plan, body);
  }
}

// One unit, by vectors along lines, or across channels where the plan is by channels.
//   sums  [image_blocks][channels][window], of which it writes its own
//   slot  plan.slot_bytes of scratch
void DepthwiseLines(const Depthwise& plan, int64_t unit, const Triple<TensorView>& operands,
                    const Triple<TensorView>& gradients, double* sums, void* slot);
void DepthwiseChannels(const Depthwise& plan, int64_t unit, const Triple<TensorView>& operands,
                       const Triple<TensorView>& gradients, double* sums, void* slot);

}  // namespace aclimb::convolution_backward
