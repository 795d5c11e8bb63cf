#pragma once

#include "aclimb/ops/affine_grid/contract.h"
#include "aclimb/ops/affine_grid/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::affine_grid {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnAffineGridGetWorkspaceSize)>(kContract, &Truth, &Draw)};

}  // namespace aclimb::affine_grid
