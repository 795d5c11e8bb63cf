#pragma once

#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Convolutions in groups of up to sixteen channels: both gradients in one pass over the images. A
// plane of a group is copied into float32 with its channels side by side, filled up to eight or
// sixteen, or beside those of another group of four, so that a vector holds one element of all
// input channels, and strides and gaps are steps from element to element. Columns of zeros stand
// for the padding beside an image; lines beyond it are left out.
//
// The gradient of x sums, for some elements of a line at a time, weights times elements of y, one
// output channel after the other. The gradient of the weight sums, for one tap or a few of them,
// elements of x times those of y over a band of lines, or a piece of a line, that stays in the
// nearest cache, and these and images in double. Sums are in one order, whatever the number of
// threads.
namespace aclimb::convolution_backward {

struct Grouped {
  Geometry geometry;
  bool gives_x = false, gives_weight = false;

  int64_t channels = 0;    // of a packed element
  int64_t together = 1;    // groups whose channels are those of an element
  int64_t y_left = 0;      // columns of zeros before y
  int64_t y_pitch = 0;     // columns of a packed line of y
  int64_t x_pitch = 0;     // and of x, of which pad_begin are before it
  int64_t band = 0;        // lines of y
  int64_t images = 0;      // of a unit
  int64_t chunks = 1;      // of images, whatever the team; their sums are added at the end
  int64_t slot_bytes = 0;  // scratch of a unit
  int slots = 1;           // units that may run at once

  int64_t Parts() const { return CeilDivide(geometry.groups, together); }
  int64_t Units() const { return Parts() * chunks; }
  // Elements of float32: of packed planes of a part, of its weights to one output channel, and of
  // all its weights.
  int64_t YSize() const { return geometry.out[1] * y_pitch * channels; }
  int64_t XSize() const { return geometry.in[1] * x_pitch * channels; }
  int64_t WindowSize() const { return geometry.KernelSize() * channels; }
  int64_t PackedWeights() const { return WindowSize() * channels / together; }
  int64_t ChunkBytes() const {
    return gives_weight && chunks > 1 ? Units() * PackedWeights() * 8 : 0;
  }
  int64_t ScratchBytes() const { return ChunkBytes() + slots * slot_bytes; }
};

// What RunGrouped computes: up to sixteen channels a group on either side, one or two dimensions,
// windows that reach over up to 64 elements of each, planes that stay in a core's own cache.
bool FitsGrouped(const Geometry& geometry);

// `threads` is the team of the run. At least one gradient is wanted.
Grouped PlanGrouped(const Geometry& geometry, bool gives_x, bool gives_weight, int threads);

// The views are embedded, of any dtypes; the elements of a row of x, y and grad_x are side by side.
// What is not wanted, or not needed for it, is not looked at. Zeros that stand for padding are
// multiplied.
//   scratch  ScratchBytes() bytes, 64-byte aligned
void RunGrouped(const Grouped& plan, const TensorView& x, const TensorView& y,
                const TensorView& weight, const TensorView& grad_x, const TensorView& grad_weight,
                void* scratch);

}  // namespace aclimb::convolution_backward
