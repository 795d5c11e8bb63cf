#pragma once

#include <cstdint>

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
  int64_t band = 0;               // steps down that are packed at once
  int64_t channels = 0;           // of a unit
  int64_t chunks = 1;             // of images, whatever the team; their sums are added at the end
  int64_t images = 0;             // of a chunk
  int64_t images_in_vectors = 0;  // whose sums are held in float32, before they are added in double
  bool by_channels = false;
  int64_t plane = 0;    // elements of a packed band
  int64_t partial = 0;  // of a packed band of the gradient of x, where windows take several passes;
                        // by channels of planes of x, of its gradient and of windows
  int64_t slot_bytes = 0;  // scratch of a unit
  int slots = 1;           // units that may run at once

  int64_t Units() const;
  int64_t Weights() const { return geometry.groups * geometry.KernelSize(); }
  // Scratch: sums of chunks in double, weights in float32, slots.
  int64_t ChunkBytes() const {
    return gives_weight ? RoundUp(SaturatedProduct(8 * chunks, Weights()), 64) : 0;
  }
  int64_t WeightBytes() const { return gives_x ? RoundUp(SaturatedProduct(4, Weights()), 64) : 0; }
  int64_t ScratchBytes() const { return ChunkBytes() + WeightBytes() + slots * slot_bytes; }
};

// What RunDepthwise computes: one channel a group, windows of 3x3 or 5x5 with strides of one or
// two, of 7x7 without; no gaps.
bool FitsDepthwise(const Geometry& geometry);

// Whether vectors run across channels, sixteen of which are a block: where lines are short. The
// planes of a block are transposed then, so that an element of all channels is followed by the
// next.
bool RunsByChannels(const Geometry& geometry);

// `threads` is the team of the run. At least one gradient is wanted.
Depthwise PlanDepthwise(const Geometry& geometry, bool gives_x, bool gives_weight, int threads);

// Embedded views, of any dtypes but that x and its gradient have one; the elements of a row of x, y
// and grad_x are side by side. What is not wanted, or not needed for it, is not looked at.
struct DepthwiseTensors {
  const TensorView &x, &y, &weight, &grad_x, &grad_weight;
};

//   scratch  ScratchBytes() bytes, 64-byte aligned
void RunDepthwise(const Depthwise& plan, const DepthwiseTensors& tensors, void* scratch);

// The vector code, compiled once per instruction set.

// The most elements of float32 that a vector may have.
inline constexpr int64_t kMostDepthwiseLanes = 16;

// A line that is packed may overshoot its end by so many elements, and sums read as far.
inline constexpr int64_t kDepthwiseSlack = 64;

// Of a block, where vectors run across channels.
inline constexpr int64_t kDepthwiseChannels = 16;

// One unit: a few channels of a chunk of images.
//   weights     [channels][window]
//   chunk_sums  [chunks][channels][window], of which it writes its own
//   slot        plan.slot_bytes of scratch
void DepthwiseUnit(const Depthwise& plan, int64_t unit, const DepthwiseTensors& tensors,
                   const float* weights, double* chunk_sums, void* slot);
// The same for plans by channels.
void DepthwiseChannels(const Depthwise& plan, int64_t unit, const DepthwiseTensors& tensors,
                       const float* weights, double* chunk_sums, void* slot);

}  // namespace aclimb::convolution_backward
