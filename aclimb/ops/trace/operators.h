#pragma once

#include "aclimb/ops/trace/contract.h"
#include "aclimb/ops/trace/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::trace {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnTraceGetWorkspaceSize)>(kContract, &Truth, &DrawTrace)};

}  // namespace aclimb::trace
