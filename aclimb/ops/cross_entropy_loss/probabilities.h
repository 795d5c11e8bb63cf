#pragma once

#include "aclimb/core/tensor_view.h"

namespace aclimb::cross_entropy_loss {

// The loss against a probability for each class, and its gradient. All of one dtype: FLOAT, FLOAT16
// or BFLOAT16; strided.
struct ProbabilitiesArgs {
  TensorView features;  // [N, C]
  TensorView labels;    // [N, C]
  TensorView loss;      // [N]
  TensorView backprop;  // [N, C]; may be one of the inputs
};

void RunWithProbabilities(const ProbabilitiesArgs& args);

}  // namespace aclimb::cross_entropy_loss
