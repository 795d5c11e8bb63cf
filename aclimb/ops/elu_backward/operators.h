#pragma once

#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/ops/elu_backward/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::elu_backward {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnEluBackwardGetWorkspaceSize)>(kContract, &Truth)};

}  // namespace aclimb::elu_backward
