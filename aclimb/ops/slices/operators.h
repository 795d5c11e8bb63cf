#pragma once

#include "aclimb/ops/slices/contracts.h"
#include "aclimb/ops/slices/draw.h"
#include "aclimb/ops/slices/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::slices {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnSliceGetWorkspaceSize)>(slice::kContract, &SliceTruth, &DrawSlice),
    truth::Entry<decltype(aclnnSliceV2GetWorkspaceSize)>(slice_v2::kContract, &SliceV2Truth,
                                                         &DrawSliceV2),
    truth::Entry<decltype(aclnnFlipGetWorkspaceSize)>(flip::kContract, &FlipTruth, &DrawFlip),
    truth::Entry<decltype(aclnnRollGetWorkspaceSize)>(roll::kContract, &RollTruth, &DrawRoll),
};

}  // namespace aclimb::slices
