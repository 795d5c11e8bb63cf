#pragma once

#include "aclimb/contract/arguments.h"
#include "aclimb/executor/plan.h"
#include "aclimb/ops/upsample/taps.h"

namespace aclimb::upsample {

// The plan of any of the operators. From parameter 0 to the last one; the factors, if it has any,
// stand before that, alignCorners before them.
Result<PlanPointer> MakePlanOf(const contract::Arguments& arguments, Planner& planner, Way way,
                               bool backward, bool has_factors);

template <Way kWay, bool kBackward, bool kHasFactors = true>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  return MakePlanOf(arguments, planner, kWay, kBackward, kHasFactors);
}

}  // namespace aclimb::upsample
