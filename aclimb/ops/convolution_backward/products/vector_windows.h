#pragma once

#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/simd/factors.h"

// The gradient of the weight, for windows of one element or more, as products of matrices on
// vectors, summed in float32 in one order, whatever the number of threads. Nothing is unfolded: y
// is packed with the channels of a pixel side by side, and a tap is a shift along rows of x.
// Windows of one element may exchange the two, since it is the operand of more channels that is not
// packed. Zeros that stand for absent elements are multiplied. What is counted are numbers that are
// summed, not the elements that Factors make of them.
namespace aclimb::convolution_backward {

struct VectorWindows {
  Geometry geometry;  // with x and y exchanged, if they are
  bool exchanged = false;
  Factors factors = Factors::kFloat32;
  int64_t lanes = 0;  // of a vector

  // What is summed at once, a block of pixels: whole images, lines of one, or some of a line. x
  // or y is a number of lines, whatever its dimensions.
  int64_t images = 1, lines = 1, width = 1;
  // Channels of x and of y of a unit.
  int64_t unit_rows = 0, unit_columns = 0;
  int slots = 1;  // units that may run at once

  int64_t Lines() const { return geometry.out[0] * geometry.out[1]; }
  int64_t Blocks() const;
  int64_t Units() const;
  // Elements of a block's pixels, at most.
  int64_t Pitch() const {
    return RoundUp(images * CeilDivide(lines * width, PerElement(factors)), int64_t{16});
  }
  int64_t SlotBytes() const;
  int64_t ScratchBytes() const { return SaturatedProduct(slots, SlotBytes()); }
};

// `threads` is the team of the run.
VectorWindows PlanVectorWindows(const Geometry& geometry, int threads, Factors factors);

// The views are embedded, of any dtypes (kPairs: operands of bfloat16), x and y with the pixels of
// each channel side by side, and `weight`, which is written completely, with those of an output
// channel.
//   scratch  ScratchBytes() bytes, 64-byte aligned
void RunWindows(const VectorWindows& windows, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch);

// The vector code, compiled once per instruction set.

// Elements of a vector on this processor.
int64_t WindowsLanes();

// Channels of x whose sums are computed at once.
inline constexpr int64_t kWindowsRows = 8;
// Sums over blocks of up to so many terms, as many of which are added in float32 again.
inline constexpr int64_t kMostBlockSums = BlockTerms(DType::kFloat32) / 2;

// Scratch of a unit. Elements of four bytes are numbers or pairs of them (simd/factors.h); behind
// the last of an odd number stands a zero.
struct WindowsSlot {
  // A line of what is packed, counted in numbers: zeros, what is in memory, zeros up to its length.
  struct Line {
    int64_t from;  // the first element in memory
    int64_t to, before, count, length;
  };
  // Terms of a block's sums that stand side by side in both operands, in elements.
  struct Terms {
    int32_t left[kWindowsRows];  // where those of a row begin; any place for rows that are absent
    int32_t right;               // row of y
    int32_t count;
  };

  // Without memory it only counts its bytes.
  WindowsSlot(const VectorWindows& windows, void* memory);

  float* sums;    // [channel of x][tap][channel of y]
  float* rights;  // y: panels [pixel of a block][vectors of channels]
  float* lefts;   // x: a block of rows at a tap
  Line* lines;
  Terms* terms;
  double* totals;  // of long sums
  int64_t bytes = 0;
};

// One unit: sums over all pixels, of some channels of x with all taps and some channels of y. Units
// of a group have all channels of y for some of x, then for the next.
//   x, y  exchanged, if they are
//   slot  SlotBytes() bytes of scratch
void WindowsUnit(const VectorWindows& windows, int64_t unit, const TensorView& x,
                 const TensorView& y, const TensorView& weight, void* slot);

}  // namespace aclimb::convolution_backward
