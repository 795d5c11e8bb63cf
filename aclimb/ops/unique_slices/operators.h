#pragma once

#include "aclimb/ops/unique_slices/contracts.h"
#include "aclimb/ops/unique_slices/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::unique_slices {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::SizesOutput(truth::Entry<decltype(aclnnUniqueConsecutiveGetWorkspaceSize)>(
        unique_consecutive::kContract, &UniqueConsecutiveTruth, &DrawUniqueConsecutive)),
    truth::SizesOutput(truth::Entry<decltype(aclnnUniqueDimGetWorkspaceSize)>(
        unique_dim::kContract, &UniqueDimTruth, &DrawUniqueDim))};

}  // namespace aclimb::unique_slices
