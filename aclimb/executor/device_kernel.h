#pragma once

#include <optional>

#include "aclimb/contract/contract.h"
#include "aclimb/executor/operator.h"
#include "aclimb/executor/plan.h"

namespace aclimb {

// The plan of a call that the device of this process has a kernel for, or nothing: the host's
// kernels plan it then. Its run throws RunFailure.
Result<std::optional<PlanPointer>> PlanOnDevice(const Operator& of,
                                                const contract::Arguments& arguments,
                                                Planner& planner);

}  // namespace aclimb
