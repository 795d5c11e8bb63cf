#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/products/vector_kernels.h"
#include "aclimb/simd/factors.h"

// The gradient of the weight, for windows of one element or more, as products of matrices on
// vectors, summed in float32 in one order, whatever the number of threads. Nothing is unfolded: y
// is packed with the channels of a pixel side by side, and a tap is a shift along rows of x.
// Windows of one element may exchange the two, since it is the operand of more channels that is not
// packed. Zeros that stand for absent elements are multiplied. What is counted are numbers that are
// summed, not the elements that Factors make of them.
namespace aclimb::convolution_backward {

// Whether a tensor is taken as it is: x or y with the pixels of each channel side by side, images
// and channels anywhere; the gradient with those of an output channel side by side.
bool HasDensePlanes(const TensorView& channels);
bool HasDenseRows(const TensorView& weight);

struct VectorWindows {
  Geometry geometry;  // with x and y exchanged, if they are
  bool exchanged = false;
  Factors factors = Factors::kFloat32;
  int64_t lanes = 0;  // of a vector

  // What is summed at once, a block of pixels: whole images, lines of one, or a part of a line. x
  // or y is a number of lines, whatever its dimensions.
  int64_t images = 1, lines = 1, width = 1;
  // Channels of x and of y of a unit.
  int64_t unit_rows = 0, unit_columns = 0;
  int slots = 1;  // units that may run at once

  int64_t Lines() const { return geometry.out[0] * geometry.out[1]; }
  int64_t Blocks() const;
  int64_t Units() const;
  int64_t SlotBytes() const;
  int64_t ScratchBytes() const { return SaturatedProduct(slots, SlotBytes()); }
};

// `threads` is the team of the run.
VectorWindows PlanVectorWindows(const Geometry& geometry, int threads, Factors factors);

// The views are embedded, of any dtypes (kPairs: operands of bfloat16), and as HasDensePlanes and
// HasDenseRows want them. `weight` is written completely.
//   scratch  ScratchBytes() bytes, 64-byte aligned
void RunWindows(const VectorWindows& windows, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch);

}  // namespace aclimb::convolution_backward
