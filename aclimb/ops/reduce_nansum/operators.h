#pragma once

#include "aclimb/ops/reduce_nansum/contract.h"
#include "aclimb/ops/reduce_nansum/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::reduce_nansum {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnReduceNansumGetWorkspaceSize)>(kContract, &Truth)};

}  // namespace aclimb::reduce_nansum
