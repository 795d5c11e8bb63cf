#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/grouped.h"

// The vector code of grouped.h, compiled once per instruction set.
namespace aclimb::convolution_backward {

// Elements of windows along one dimension.
inline constexpr int64_t kMostGroupedTaps = 16;
// Lines of a band.
inline constexpr int64_t kMostGroupedLines = 32;

// One unit: a group of a chunk of images.
//   sums  of the gradient of the weight, [y channels][taps][plan.channels]
//   slot  plan.slot_bytes of scratch
void GroupedUnit(const Grouped& plan, int64_t unit, const TensorView& x, const TensorView& y,
                 const TensorView& weight, const TensorView& grad_x, double* sums, void* slot);

// Writes the gradient of a group's weight.
void StoreGroupedWeights(const Grouped& plan, int64_t group, const double* sums,
                         const TensorView& grad_weight, void* slot);

}  // namespace aclimb::convolution_backward
