#pragma once

#include "aclimb/ops/joins/contracts.h"
#include "aclimb/ops/joins/draw.h"
#include "aclimb/ops/joins/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::joins {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnCatGetWorkspaceSize)>(cat::kContract, &CatTruth, &DrawCat),
    truth::Entry<decltype(aclnnStackGetWorkspaceSize)>(stack::kContract, &StackTruth, &DrawStack),
    truth::Entry<decltype(aclnnSplitTensorGetWorkspaceSize)>(split_tensor::kContract,
                                                             &SplitTensorTruth, &DrawSplitTensor),
    truth::Entry<decltype(aclnnSplitWithSizeGetWorkspaceSize)>(
        split_with_size::kContract, &SplitWithSizeTruth, &DrawSplitWithSize),
};

}  // namespace aclimb::joins
