#pragma once

#include "aclimb/ops/pooling/adaptive_max_contracts.h"
#include "aclimb/ops/pooling/average_contracts.h"
#include "aclimb/ops/pooling/columns_contracts.h"
#include "aclimb/ops/pooling/columns_truth.h"
#include "aclimb/ops/pooling/draw.h"
#include "aclimb/ops/pooling/max3d_truth.h"
#include "aclimb/ops/pooling/max_contracts.h"
#include "aclimb/ops/pooling/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::pooling {

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_MAX_POOL(name, Name, ...)                 \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>( \
      k##Name##Contract, &MaxTruth<forward::kPlaces>, &DrawMax<forward::kPlaces>),
#define ACLIMB_MAX_POOL_BACKWARD(name, Name, ...)                                             \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, &MaxGradientTruth, \
                                                        &DrawMaxGradient),
#include "aclimb/ops/pooling/rows.inc"
#undef ACLIMB_MAX_POOL
#undef ACLIMB_MAX_POOL_BACKWARD
    truth::Entry<decltype(aclnnMaxPoolGetWorkspaceSize)>(
        plain::kContract, &MaxTruth<plain::kPlaces>, &DrawMax<plain::kPlaces>),
    truth::Entry<decltype(aclnnAvgPool2dGetWorkspaceSize)>(average::kContract, &AverageTruth,
                                                           &DrawAverage<average::kPlaces>),
    truth::Entry<decltype(aclnnAvgPool2dBackwardGetWorkspaceSize)>(
        average_backward::kContract, &AverageGradientTruth,
        &DrawAverage<average_backward::kPlaces>),
    truth::Entry<decltype(aclnnAdaptiveAvgPool2dGetWorkspaceSize)>(adaptive::kContract,
                                                                   &AdaptiveTruth, &DrawAdaptive),
    truth::Entry<decltype(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize)>(
        adaptive_backward::kContract, &AdaptiveGradientTruth, &DrawAdaptive),
    truth::Entry<decltype(aclnnAdaptiveMaxPool2dGetWorkspaceSize)>(
        adaptive_max::kContract, &AdaptiveMaxTruth, &DrawAdaptiveMax),
    truth::Entry<decltype(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize)>(
        adaptive_max_backward::kContract, &AdaptiveMaxGradientTruth, &DrawAdaptiveMaxGradient),
    truth::Entry<decltype(aclnnIm2colGetWorkspaceSize)>(columns::kContract, &ColumnsTruth,
                                                        &DrawColumns),
    truth::Entry<decltype(aclnnIm2colBackwardGetWorkspaceSize)>(
        columns_backward::kContract, &ColumnsGradientTruth, &DrawColumnsGradient),
    truth::Entry<decltype(aclnnMaxPool3dWithArgmaxGetWorkspaceSize)>(
        max3d::forward::kContract, &max3d::ForwardTruth, &max3d::DrawForward),
    truth::Entry<decltype(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize)>(
        max3d::backward::kContract, &max3d::BackwardTruth, &max3d::DrawBackward),
};

}  // namespace aclimb::pooling
