#pragma once

#include "aclimb/ops/repeats/contracts.h"
#include "aclimb/ops/repeats/draw.h"
#include "aclimb/ops/repeats/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::repeats {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnExpandGetWorkspaceSize)>(expand::kContract, &RepeatTruth,
                                                        &DrawExpand),
    truth::Entry<decltype(aclnnRepeatGetWorkspaceSize)>(repeat::kContract, &RepeatTruth,
                                                        &DrawRepeat),
    truth::Entry<decltype(aclnnRepeatInterleaveIntWithDimGetWorkspaceSize)>(
        interleave::kContract, &InterleaveTruth, &DrawInterleave),
    truth::Entry<decltype(aclnnRepeatInterleaveIntGetWorkspaceSize)>(
        interleave_all::kContract, &InterleaveAllTruth, &DrawInterleaveAll),
    truth::Entry<decltype(aclnnRepeatInterleaveGetWorkspaceSize)>(
        interleave_by_tensor::kContract, &InterleaveByTensorTruth, &DrawInterleaveByTensor),
    truth::Entry<decltype(aclnnRepeatInterleaveWithDimGetWorkspaceSize)>(
        interleave_dim_by_tensor::kContract, &InterleaveDimByTensorTruth,
        &DrawInterleaveDimByTensor),
};

}  // namespace aclimb::repeats
