#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb::nll_loss {

// What a loss and its gradient have in common. self, weight, loss and total_weight share one dtype:
// FLOAT, FLOAT16 or BFLOAT16. All may be strided.
struct Args {
  TensorView self;    // of the loss the log-probabilities, else the gradient, which is written
  TensorView target;  // the shape of self without class_dim; INT64, INT32 or UINT8
  TensorView weight;  // [C]
  TensorView loss;    // as target if `per_position`, else one element
  TensorView total_weight;  // one element
  int class_dim = 0;
  bool per_position = false;
  bool mean = false;
  int64_t ignore_index = -100;
};

// Positions whose target is ignore_index or no class have no loss and no gradient; false when there
// are some of the latter. Sums are made in double and in blocks that depend on the shape alone.
[[nodiscard]] bool ComputeLoss(const Args& args);
[[nodiscard]] bool ComputeGradient(const Args& args);

}  // namespace aclimb::nll_loss
