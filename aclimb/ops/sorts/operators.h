#pragma once

#include "aclimb/ops/sorts/contracts.h"
#include "aclimb/ops/sorts/draw.h"
#include "aclimb/ops/sorts/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::sorts {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnSortGetWorkspaceSize)>(sort::kContract, &SortTruth),
    truth::Entry<decltype(aclnnArgsortGetWorkspaceSize)>(argsort::kContract, &ArgsortTruth),
    truth::Entry<decltype(aclnnTopkGetWorkspaceSize)>(topk::kContract, &TopkTruth, &DrawTopk),
    truth::Entry<decltype(aclnnKthvalueGetWorkspaceSize)>(kthvalue::kContract, &KthvalueTruth,
                                                          &DrawKthvalue),
    truth::Entry<decltype(aclnnMedianDimGetWorkspaceSize)>(median_dim::kContract, &MedianDimTruth),
    truth::Entry<decltype(aclnnMedianGetWorkspaceSize)>(median::kContract, &MedianTruth),
    truth::SizesOutput(truth::Entry<decltype(aclnnUniqueGetWorkspaceSize)>(
        unique::kContract, &UniqueTruth, &DrawUnique)),
    truth::SizesOutput(truth::Entry<decltype(aclnnUnique2GetWorkspaceSize)>(
        unique2::kContract, &Unique2Truth, &DrawUnique2)),
};

}  // namespace aclimb::sorts
