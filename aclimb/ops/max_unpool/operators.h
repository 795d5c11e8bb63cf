#pragma once

#include "aclimb/ops/max_unpool/contracts.h"
#include "aclimb/ops/max_unpool/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::max_unpool {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnMaxUnpool2dGetWorkspaceSize)>(
        planes::kContract, &Truth<planes::kPlaces, true>, &DrawForward<planes::kPlaces>),
    truth::Entry<decltype(aclnnMaxUnpool2dBackwardGetWorkspaceSize)>(
        planes_backward::kContract, &Truth<planes_backward::kPlaces, false>,
        &DrawBackward<planes_backward::kPlaces, planes_backward::kSelf>),
    truth::Entry<decltype(aclnnMaxUnpool3dGetWorkspaceSize)>(
        volumes::kContract, &Truth<volumes::kPlaces, true>, &DrawForward<volumes::kPlaces>),
    truth::Entry<decltype(aclnnMaxUnpool3dBackwardGetWorkspaceSize)>(
        volumes_backward::kContract, &Truth<volumes_backward::kPlaces, false>,
        &DrawBackward<volumes_backward::kPlaces, volumes_backward::kSelf>),
};

}  // namespace aclimb::max_unpool
