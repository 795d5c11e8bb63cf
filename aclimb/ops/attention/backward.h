#pragma once

#include <cstdint>

#include "aclimb/executor/plan.h"
#include "aclimb/ops/attention/inputs.h"
#include "aclimb/ops/attention/operand.h"
#include "aclimb/rows/dense.h"

namespace aclimb::attention {

// What the gradient of a forward call is made of. Operands that are not given are left out.
struct Backward : Inputs {
  Operand grad;
  rows::Dense max, sum;  // what the forward call found, `repeats` times for each query
  int64_t repeats = 1;
  Operand result;  // of the forward call
  Operand query_grad, key_grad, value_grad;
  Operand bias_grad;  // of the shape of the bias
};

// Scores are computed again from query and key, tile by tile: once for the gradients of key and
// value, once for that of the query, and once more for a bias that repeats. Each tile of a gradient
// is added up in a fixed order by one thread.
PlanPointer MakeBackwardPlan(Planner& planner, Backward backward);

}  // namespace aclimb::attention
