#pragma once

#include "aclimb/ops/histc/contract.h"
#include "aclimb/ops/histc/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::histc {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnHistcGetWorkspaceSize)>(kContract, &Truth, &DrawHistc)};

}  // namespace aclimb::histc
