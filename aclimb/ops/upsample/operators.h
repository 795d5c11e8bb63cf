#pragma once

#include "aclimb/ops/upsample/contracts.h"
#include "aclimb/ops/upsample/draw.h"
#include "aclimb/ops/upsample/truths.h"
#include "aclimb/ops/upsample/volume_contracts.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::upsample {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnUpsampleNearest2dGetWorkspaceSize)>(
        nearest::kContract, &Truth<Way::kNearest, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest2dBackwardGetWorkspaceSize)>(
        nearest_backward::kContract, &Truth<Way::kNearest, true>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleBilinear2dGetWorkspaceSize)>(
        bilinear::kContract, &Truth<Way::kLinear, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize)>(
        bilinear_backward::kContract, &Truth<Way::kLinear, true>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest1dGetWorkspaceSize)>(
        nearest1d::kContract, &Truth<Way::kNearest, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest1dBackwardGetWorkspaceSize)>(
        nearest1d_backward::kContract, &Truth<Way::kNearest, true>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleLinear1dGetWorkspaceSize)>(
        linear1d::kContract, &Truth<Way::kLinear, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleLinear1dBackwardGetWorkspaceSize)>(
        linear1d_backward::kContract, &Truth<Way::kLinear, true>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleBicubic2dGetWorkspaceSize)>(
        bicubic::kContract, &Truth<Way::kCubic, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleBicubic2dBackwardGetWorkspaceSize)>(
        bicubic_backward::kContract, &Truth<Way::kCubic, true>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleTrilinear3dGetWorkspaceSize)>(
        trilinear::kContract, &Truth<Way::kLinear, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize)>(
        trilinear_backward::kContract, &Truth<Way::kLinear, true>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest3dGetWorkspaceSize)>(
        nearest3d::kContract, &Truth<Way::kNearest, false>, &DrawCall),
    truth::Entry<decltype(aclnnUpsampleNearest3dBackwardGetWorkspaceSize)>(
        nearest3d_backward::kContract, &Truth<Way::kNearest, true>, &DrawCall),
};

}  // namespace aclimb::upsample
