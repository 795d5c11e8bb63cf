#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/one_pass/grouped.h"

// The vector code of grouped.h, compiled once per instruction set.
namespace aclimb::convolution_backward {

// Elements of a window.
inline constexpr int64_t kMostGroupedTaps = 49;
// Lines of a band.
inline constexpr int64_t kMostGroupedLines = 32;

// One unit: a group, or some together, of a chunk of images.
//   sums  of the gradient of the weight, [plan.channels / plan.together][taps][plan.channels]
//   slot  plan.slot_bytes of scratch
void GroupedUnit(const Grouped& plan, int64_t unit, const TensorView& x, const TensorView& y,
                 const TensorView& weight, const TensorView& grad_x, double* sums, void* slot);

// Writes the gradient of the weight of the groups of a part, whose sums these are.
void StoreGroupedWeights(const Grouped& plan, int64_t part, const double* sums,
                         const TensorView& grad_weight, void* slot);

}  // namespace aclimb::convolution_backward
