#pragma once

#include <optional>

#include "aclimb/contract/contract.h"
#include "aclimb/executor/operator.h"
#include "aclimb/executor/plan.h"

namespace aclimb {

// What the operator plans for the host. Libraries may need a thread of their own to answer it: one
// that the system refuses is a refusal of the call.
Result<PlanPointer> PlanOnHost(const Operator& of, const contract::Arguments& arguments,
                               Planner& planner);

// The plan of a call that the device of this process has a kernel for, or nothing: the host's
// kernels plan it then. Its run throws RunFailure.
Result<std::optional<PlanPointer>> PlanOnDevice(const Operator& of,
                                                const contract::Arguments& arguments,
                                                Planner& planner);

}  // namespace aclimb
