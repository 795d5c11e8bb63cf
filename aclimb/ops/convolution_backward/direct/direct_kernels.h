#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"

// The vector code of direct.h, compiled once per instruction set. Every function works on one piece
// of a plan; pieces with different numbers write different memory.
namespace aclimb::convolution_backward {

// A tap: how far it shifts a plane of sources, and its element of the weight; phase by phase.
struct DirectTap {
  int64_t shift, weight;
};

// Copies the weights of tile `piece` (group * tiles + tile) in the order TapsUnit reads them. False
// when one of them is infinite or NaN.
bool PackTapsWeights(const DirectPlan& plan, int64_t piece, const TensorView& weight,
                     const DirectTap* taps, float* packed);

// One unit of kForward or kGradX: a fold of images, a block, a group and a range of output tiles.
//   slot  slot_elements of scratch
void TapsUnit(const DirectPlan& plan, int64_t unit, const TensorView& source,
              const TensorView& target, const DirectTap* taps, const float* packed, float* slot);

// One unit of kGradWeight: fills its own part of `partial`,
// [splits][groups * y_channels][x_channels][kernel].
//   result  of the gradient
void OuterUnit(const DirectPlan& plan, int64_t unit, const TensorView& x, const TensorView& y,
               const DirectTap* taps, DType result, float* partial, float* slot);

}  // namespace aclimb::convolution_backward
