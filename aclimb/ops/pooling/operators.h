#pragma once

#include "aclimb/ops/pooling/adaptive_max_contracts.h"
#include "aclimb/ops/pooling/average_contracts.h"
#include "aclimb/ops/pooling/columns_contracts.h"
#include "aclimb/ops/pooling/columns_truth.h"
#include "aclimb/ops/pooling/draw.h"
#include "aclimb/ops/pooling/max3d_contracts.h"
#include "aclimb/ops/pooling/max_contracts.h"
#include "aclimb/ops/pooling/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::pooling {

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_MAX_POOL(name, Name, ...)                 \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>( \
      k##Name##Contract, &MaxTruth<forward::kPlaces>, &DrawMax<forward::kPlaces>),
#define ACLIMB_MAX_POOL_BACKWARD(name, Name, ...)                                             \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract,                    \
                                                        &MaxGradientTruth<backward::kPlaces>, \
                                                        &DrawMaxGradient<backward::kPlaces>),
#include "aclimb/ops/pooling/rows.inc"
#undef ACLIMB_MAX_POOL
#undef ACLIMB_MAX_POOL_BACKWARD
    truth::Entry<decltype(aclnnMaxPoolGetWorkspaceSize)>(
        plain::kContract, &MaxTruth<plain::kPlaces>, &DrawMax<plain::kPlaces>),
    truth::Entry<decltype(aclnnAvgPool2dGetWorkspaceSize)>(
        average::kContract, &AverageTruth<average::kPlaces, average::kOut>,
        &DrawAverage<average::kPlaces>),
    truth::Entry<decltype(aclnnAvgPool2dBackwardGetWorkspaceSize)>(
        average_backward::kContract,
        &AverageTruth<average_backward::kPlaces, average_backward::kGradInput>,
        &DrawAverage<average_backward::kPlaces, average_backward::kGradInput>),
    truth::Entry<decltype(aclnnAvgPool3dGetWorkspaceSize)>(
        average3d::kContract, &AverageTruth<average3d::kPlaces, average3d::kOut>,
        &DrawAverage<average3d::kPlaces>),
    truth::Entry<decltype(aclnnAvgPool3dBackwardGetWorkspaceSize)>(
        average3d_backward::kContract,
        &AverageTruth<average3d_backward::kPlaces, average3d_backward::kOutput>,
        &DrawAverage<average3d_backward::kPlaces, average3d_backward::kOutput>),
    truth::Entry<decltype(aclnnAdaptiveAvgPool2dGetWorkspaceSize)>(
        adaptive::kContract<2>, &SharingTruth<adaptive::kPlaces<2>, adaptive::kOut>,
        &DrawAdaptive<2>),
    truth::Entry<decltype(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize)>(
        adaptive_backward::kContract<2>,
        &SharingTruth<adaptive_backward::kPlaces<2>, adaptive_backward::kOut>,
        &DrawAdaptiveGradient<2>),
    truth::Entry<decltype(aclnnAdaptiveMaxPool2dGetWorkspaceSize)>(
        adaptive_max::kContract<2>, &AdaptiveMaxTruth<2>, &DrawAdaptiveMax<2>),
    truth::Entry<decltype(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize)>(
        adaptive_max_backward::kContract<2>, &AdaptiveMaxGradientTruth<2>,
        &DrawAdaptiveMaxGradient<2>),
    truth::Entry<decltype(aclnnAdaptiveAvgPool3dGetWorkspaceSize)>(
        adaptive::kContract<3>, &SharingTruth<adaptive::kPlaces<3>, adaptive::kOut>,
        &DrawAdaptive<3>),
    truth::Entry<decltype(aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize)>(
        adaptive_backward::kContract<3>,
        &SharingTruth<adaptive_backward::kPlaces<3>, adaptive_backward::kOut>,
        &DrawAdaptiveGradient<3>),
    truth::Entry<decltype(aclnnAdaptiveMaxPool3dGetWorkspaceSize)>(
        adaptive_max::kContract<3>, &AdaptiveMaxTruth<3>, &DrawAdaptiveMax<3>),
    truth::Entry<decltype(aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize)>(
        adaptive_max_backward::kContract<3>, &AdaptiveMaxGradientTruth<3>,
        &DrawAdaptiveMaxGradient<3>),
    truth::Entry<decltype(aclnnIm2colGetWorkspaceSize)>(columns::kContract, &ColumnsTruth,
                                                        &DrawColumns),
    truth::Entry<decltype(aclnnIm2colBackwardGetWorkspaceSize)>(
        columns_backward::kContract, &ColumnsGradientTruth, &DrawColumnsGradient),
    truth::Entry<decltype(aclnnMaxPool3dWithArgmaxGetWorkspaceSize)>(
        max3d::forward::kContract, &MaxTruth<max3d::forward::kPlaces>,
        &DrawMax<max3d::forward::kPlaces>),
    truth::Entry<decltype(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize)>(
        max3d::backward::kContract, &MaxGradientTruth<max3d::backward::kPlaces>,
        &DrawMaxGradient<max3d::backward::kPlaces>),
};

}  // namespace aclimb::pooling
