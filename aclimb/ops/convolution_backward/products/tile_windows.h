#pragma once

#include <cstdint>

#include "aclimb/core/half.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// The gradient of the weight in bfloat16 on tiles (AMX), for windows of several elements. A block
// of y and of x is copied into planes of one pitch, with zeros where a row of y has ended and for
// the padding of x, so that a tap is a shift by one number, as in flat.h; strides split x into
// phases. Each tap then is a product of matrices: rows of y times transposed rows of x, shifted.
// Sums are in float32 and in one order, whatever the number of threads. Zeros that stand for absent
// elements are multiplied.
namespace aclimb::convolution_backward {

struct TileWindows {
  Geometry geometry;
  int64_t reach[kDims] = {};                // largest shift along a dimension
  int64_t block[kDims] = {};                // windows of a block along a dimension
  int64_t images = 1;                       // in a block, where it holds whole images
  int64_t unit_rows = 0, unit_columns = 0;  // channels of y and of x of a unit
  int slots = 1;                            // units that may run at once

  int64_t Units() const;
  int64_t Phases() const;  // of x that taps see
  // Positions of a block, and the elements of x of one channel and image that are packed, zeros and
  // repetitions included.
  int64_t Plane() const;
  double PackedPositions() const;
  int64_t SlotBytes() const;
  int64_t ScratchBytes() const { return slots * SlotBytes(); }
};

// Of strides of one or two, where there is more than one window along a dimension. `threads` is the
// team of the run.
TileWindows PlanTileWindows(const Geometry& geometry, int threads);

// The views are embedded, bfloat16, with the elements of a row side by side.
//   weight   [taps][groups * y_channels][x_channels] without gaps: written completely
//   scratch  ScratchBytes() bytes, 64-byte aligned
void RunTileWindows(const TileWindows& windows, const TensorView& x, const TensorView& y,
                    BFloat16* weight, void* scratch);

}  // namespace aclimb::convolution_backward
