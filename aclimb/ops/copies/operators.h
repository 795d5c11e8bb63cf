#pragma once

#include "aclimb/ops/copies/contracts.h"
#include "aclimb/ops/copies/draw.h"
#include "aclimb/ops/copies/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::copies {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnInplaceCopyGetWorkspaceSize)>(
        inplace_copy::kContract, &inplace_copy::Truth, &inplace_copy::DrawCall),
    truth::Entry<decltype(aclnnCastGetWorkspaceSize)>(cast::kContract, &cast::Truth,
                                                      &cast::DrawCall),
    truth::Entry<decltype(aclnnPermuteGetWorkspaceSize)>(permute::kContract, &permute::Truth,
                                                         &permute::DrawCall),
};

}  // namespace aclimb::copies
