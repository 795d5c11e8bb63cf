#pragma once

#include "aclimb/ops/grid_sampler/contracts.h"
#include "aclimb/ops/grid_sampler/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::grid_sampler {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnGridSampler2DGetWorkspaceSize)>(forward::kContract2d, &ForwardTruth,
                                                               &DrawSampler<forward::kGrid>),
    truth::Entry<decltype(aclnnGridSampler2DBackwardGetWorkspaceSize)>(
        backward::kContract2d, &BackwardTruth, &DrawBackward),
    truth::Entry<decltype(aclnnGridSampler3DGetWorkspaceSize)>(forward::kContract3d, &ForwardTruth,
                                                               &DrawSampler<forward::kGrid>),
    truth::Entry<decltype(aclnnGridSampler3DBackwardGetWorkspaceSize)>(
        backward::kContract3d, &BackwardTruth, &DrawBackward),
};

}  // namespace aclimb::grid_sampler
