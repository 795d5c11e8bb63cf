#pragma once

#include "aclimb/ops/softshrink/contract.h"
#include "aclimb/ops/softshrink/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::softshrink {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnSoftshrinkGetWorkspaceSize)>(kContract, &Truth)};

}  // namespace aclimb::softshrink
