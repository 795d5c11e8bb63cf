#pragma once

#include "aclimb/ops/linalg_cross/contract.h"
#include "aclimb/ops/linalg_cross/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::linalg_cross {

inline constexpr truth::OperatorEntry kOperators[] = {truth::WithExactIntegers(
    truth::Entry<decltype(aclnnLinalgCrossGetWorkspaceSize)>(kContract, &Truth, &DrawCross))};

}  // namespace aclimb::linalg_cross
