#pragma once

#include "aclimb/ops/inverse/contract.h"
#include "aclimb/ops/inverse/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::inverse {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnInverseGetWorkspaceSize)>(kContract, &Truth, &Draw)};

}  // namespace aclimb::inverse
