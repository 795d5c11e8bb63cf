#pragma once

#include "aclimb/ops/gather_rows/contract.h"
#include "aclimb/ops/gather_rows/draw.h"
#include "aclimb/ops/gather_rows/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::gather_rows {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnEmbeddingGetWorkspaceSize)>(kEmbeddingContract, &EmbeddingTruth,
                                                           &DrawEmbedding),
    truth::Entry<decltype(aclnnIndexSelectGetWorkspaceSize)>(
        kIndexSelectContract, &DimensionTruth<false>, &DrawOfDimension<false>),
    truth::Entry<decltype(aclnnGatherV2GetWorkspaceSize)>(kGatherV2Contract, &DimensionTruth<true>,
                                                          &DrawOfDimension<true>),
    truth::Entry<decltype(aclnnIndexCopyGetWorkspaceSize)>(
        kIndexCopyContract, &ReplacingTruth<kOutRef>, &DrawReplacing<false>),
    truth::Entry<decltype(aclnnInplaceIndexCopyGetWorkspaceSize)>(
        kInplaceIndexCopyContract, &ReplacingTruth<kSelf>, &DrawReplacing<true>)};

}  // namespace aclimb::gather_rows
