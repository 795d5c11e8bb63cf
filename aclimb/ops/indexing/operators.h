#pragma once

#include "aclimb/ops/indexing/contracts.h"
#include "aclimb/ops/indexing/draw.h"
#include "aclimb/ops/indexing/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::indexing {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnGatherGetWorkspaceSize)>(gather::kContract, &GatherTruth,
                                                        &DrawGather),
    truth::Entry<decltype(aclnnTakeGetWorkspaceSize)>(take::kContract, &TakeTruth, &DrawTake),
    truth::Entry<decltype(aclnnInplacePutGetWorkspaceSize)>(inplace_put::kContract, &PutTruth,
                                                            &DrawPut),
    truth::Entry<decltype(aclnnScatterGetWorkspaceSize)>(
        scatter::kContract, &ScatterTruth<false, Scatter::kOut>,
        &DrawScatter<false, Scatter::kReduce, Scatter::kOut>),
    truth::Entry<decltype(aclnnInplaceScatterGetWorkspaceSize)>(
        inplace_scatter::kContract, &ScatterTruth<false, Scatter::kSelf>,
        &DrawScatter<false, Scatter::kReduce, -1>),
    truth::Entry<decltype(aclnnScatterValueGetWorkspaceSize)>(
        scatter_value::kContract, &ScatterTruth<true, Scatter::kOut>,
        &DrawScatter<true, Scatter::kReduce, Scatter::kOut>),
    truth::Entry<decltype(aclnnInplaceScatterValueGetWorkspaceSize)>(
        inplace_scatter_value::kContract, &ScatterTruth<true, Scatter::kSelf>,
        &DrawScatter<true, Scatter::kReduce, -1>),
    truth::Entry<decltype(aclnnScatterAddGetWorkspaceSize)>(
        scatter_add::kContract, &ScatterAddTruth, &DrawScatter<false, -1, ScatterAdd::kOut>),
    truth::Entry<decltype(aclnnIndexAddGetWorkspaceSize)>(index_add::kContract, &IndexAddTruth,
                                                          &DrawIndexAdd),
    truth::Entry<decltype(aclnnBincountGetWorkspaceSize)>(bincount::kContract, &BincountTruth,
                                                          &DrawBincount),
    truth::Entry<decltype(aclnnIndexFillTensorGetWorkspaceSize)>(index_fill_tensor::kContract,
                                                                 &IndexFillTruth<IndexFill::kOut>,
                                                                 &DrawIndexFill<IndexFill::kOut>),
    truth::Entry<decltype(aclnnInplaceIndexFillTensorGetWorkspaceSize)>(
        inplace_index_fill_tensor::kContract, &IndexFillTruth<IndexFill::kSelf>,
        &DrawIndexFill<IndexFill::kSelf>),
    truth::Entry<decltype(aclnnIndexGetWorkspaceSize)>(index::kContract, &IndexTruth, &DrawIndex),
    truth::Entry<decltype(aclnnIndexPutImplGetWorkspaceSize)>(index_put_impl::kContract,
                                                              &IndexPutTruth, &DrawIndexPut),
};

}  // namespace aclimb::indexing
