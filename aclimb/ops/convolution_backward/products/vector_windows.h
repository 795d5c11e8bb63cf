#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/products/vector_kernels.h"

// Windows, of one element or more, on vectors, summed in float32 in one order, whatever the number
// of threads. Nothing is unfolded. For x and y, one operand is packed with the channels of a pixel
// side by side: a tap of a window is a row of it, and a pixel beside the image a row of zeros. For
// the gradient of the weight, y is packed so, and a tap is a shift along rows of x; windows of one
// element may exchange the two, since it is the operand of more channels that is not packed. Zeros
// that stand for absent elements are multiplied. Depths and chunks count what is summed, not the
// elements that vectors::Factors make of it.
namespace aclimb::convolution_backward {

// Whether a tensor is taken as it is: x or y with the pixels of each channel side by side, images
// and channels anywhere; weights with those of an output channel side by side.
bool HasDensePlanes(const TensorView& channels);
bool HasDenseRows(const TensorView& weight);

struct VectorWindows {
  Task task = Task::kForward;
  Geometry geometry;  // with x and y exchanged, if they are
  bool exchanged = false;
  vectors::Factors factors = vectors::Factors::kFloat32;
  int64_t lanes = 0;  // of a vector

  // What is read from a block of pixels, or summed over it (kGradWeight): whole images, lines of
  // one, or a part of a line.
  int64_t images = 1, lines = 1, width = 1;
  // Of an image, at most; and lines from the first of them to the last.
  int64_t source_lines = 0, source_width = 0, source_span = 0;

  // Of the product of a group.
  int64_t columns = 0;       // channels of the result; of y
  int64_t unit_columns = 0;  // of a unit
  int64_t unit_rows = 0;     // kGradWeight: channels of x of a unit
  int64_t depth = 0;         // channels that are summed over
  int64_t chunk = 0;         // those packed at once
  int64_t taps = 1;          // multiplied at once
  int slots = 1;             // units that may run at once

  int64_t Elements(int64_t count) const { return vectors::Elements(factors, count); }
  // Of pixels or rows of a group, each with all columns.
  int64_t Blocks() const;
  int64_t Units() const;
  // Packed weights of a group, in elements, and of all; none for kGradWeight.
  int64_t GroupWeights() const;
  int64_t WeightBytes() const;
  int64_t SlotBytes() const;
  int64_t ScratchBytes() const;
};

// `threads` is the team of the run. Pairs are for kGradWeight alone; the other tasks are float32.
VectorWindows PlanVectorWindows(const Geometry& geometry, Task task, int threads,
                                vectors::Factors of_weight = vectors::Factors::kFloat32);

// The views are embedded, of any dtypes (kPairs: operands of bfloat16), and as
// HasDensePlanes and HasDenseRows want them. The task's result is written completely, the others
// are read.
//   scratch  ScratchBytes() bytes, 64-byte aligned
void RunWindows(const VectorWindows& windows, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch);

}  // namespace aclimb::convolution_backward
