#pragma once

#include <cstdint>

#include "aclimb/executor/plan.h"
#include "aclimb/ops/attention/inputs.h"
#include "aclimb/ops/attention/operand.h"
#include "aclimb/rows/dense.h"

namespace aclimb::attention {

// What a call of attention asks for. Operands that are not given are left out.
struct Forward : Inputs {
  Operand out;
  // For each query, as often as the tensor's last dimension is long: the largest score, the sum of
  // the scores' exponentials above it, and the logarithm of that of all.
  rows::Dense max, sum, log_sum;
  int64_t repeats = 1;
};

// A query that no key takes part for has 0 as its result, the lowest float32 and 0 as its largest
// score and sum, and infinity as its logarithm. Tiles of queries meet tiles of keys, one after the
// other: neither the memory nor the results depend on the number of threads.
PlanPointer MakeForwardPlan(Planner& planner, Forward forward);

}  // namespace aclimb::attention
