#pragma once

#include "aclimb/ops/upsample/contracts.h"
#include "aclimb/ops/upsample/draw.h"
#include "aclimb/ops/upsample/truths.h"
#include "aclimb/ops/upsample/volume_contracts.h"
#include "aclimb/ops/upsample/volume_truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::upsample {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnUpsampleNearest2dGetWorkspaceSize)>(nearest::kContract,
                                                                   &NearestTruth, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest2dBackwardGetWorkspaceSize)>(
        nearest_backward::kContract, &NearestGradientTruth, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleBilinear2dGetWorkspaceSize)>(bilinear::kContract,
                                                                    &BilinearTruth, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize)>(
        bilinear_backward::kContract, &BilinearGradientTruth, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest1dGetWorkspaceSize)>(nearest1d::kContract,
                                                                   &Nearest1dTruth, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest1dBackwardGetWorkspaceSize)>(
        nearest1d_backward::kContract, &Nearest1dGradientTruth, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleLinear1dGetWorkspaceSize)>(linear1d::kContract,
                                                                  &Linear1dTruth, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleLinear1dBackwardGetWorkspaceSize)>(
        linear1d_backward::kContract, &Linear1dGradientTruth, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleBicubic2dGetWorkspaceSize)>(
        bicubic::kContract, &VolumeTruth<Way::kCubic, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleBicubic2dBackwardGetWorkspaceSize)>(
        bicubic_backward::kContract, &VolumeTruth<Way::kCubic, true>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleTrilinear3dGetWorkspaceSize)>(
        trilinear::kContract, &VolumeTruth<Way::kLinear, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize)>(
        trilinear_backward::kContract, &VolumeTruth<Way::kLinear, true>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest3dGetWorkspaceSize)>(
        nearest3d::kContract, &VolumeTruth<Way::kNearest, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest3dBackwardGetWorkspaceSize)>(
        nearest3d_backward::kContract, &VolumeTruth<Way::kNearest, true>, &DrawCall),
};

}  // namespace aclimb::upsample
