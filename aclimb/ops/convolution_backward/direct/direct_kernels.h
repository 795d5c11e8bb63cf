#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"

// The vector code of direct.h, compiled once per instruction set. Every function works on one piece
// of a plan; pieces with different numbers write different memory.
namespace aclimb::convolution_backward {

// Fills the table that TapsUnit reads: where each tap finds a source's planes,
// in the order of the output phases.
void FillTapOffsets(const DirectPlan& plan, int64_t* offsets);

// Copies the weights of tile `piece` (group * tiles + tile) in the order TapsUnit reads them. False
// when one of them is infinite or NaN.
bool PackTapsWeights(const DirectPlan& plan, int64_t piece, const TensorView& weight,
                     float* packed);

// One unit of kForward or kGradX: a fold of images, a block, a group and a range of output tiles.
//   slot  slot_elements of scratch
void TapsUnit(const DirectPlan& plan, int64_t unit, const TensorView& source,
              const TensorView& target, const int64_t* offsets, const float* packed, float* slot);

// A tap of kGradWeight: how far it shifts a plane of x, and its place in the kernel.
struct OuterTap {
  int64_t shift, weight;
};

// Fills the table that OuterUnit reads, phase by phase.
void FillOuterTaps(const DirectPlan& plan, OuterTap* taps);

// One unit of kGradWeight: fills its own part of `partial`,
// [splits][groups * y_channels][x_channels][kernel].
//   result  of the gradient
void OuterUnit(const DirectPlan& plan, int64_t unit, const TensorView& x, const TensorView& y,
               const OuterTap* taps, DType result, float* partial, float* slot);

}  // namespace aclimb::convolution_backward
