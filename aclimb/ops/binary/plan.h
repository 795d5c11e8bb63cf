#pragma once

#include "aclimb/executor/plan.h"
#include "aclimb/ops/binary/operations.h"

namespace aclimb::binary {

// The plan of an operation on the first two arguments. In place, the first one is the output.
Result<PlanPointer> MakePlanOf(Operation operation, bool in_place,
                               const contract::Arguments& arguments, Planner& planner);

template <Operation kOperation, bool kInPlace>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  return MakePlanOf(kOperation, kInPlace, arguments, planner);
}

}  // namespace aclimb::binary
