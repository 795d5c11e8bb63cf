#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/executor/plan.h"

namespace aclimb::inverse {

// Multiplications that a thread takes at once, about.
inline constexpr double kGrain = 64 * 1024;

// In double, matrix by matrix.
PlanPointer MakeDoublePlan(const contract::Arguments& arguments, Planner& planner);
// In float32, each matrix by the whole team.
PlanPointer MakeFloatPlan(const contract::Arguments& arguments, Planner& planner);

}  // namespace aclimb::inverse
