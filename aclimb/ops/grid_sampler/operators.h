#pragma once

#include "aclimb/ops/grid_sampler/contracts.h"
#include "aclimb/ops/grid_sampler/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::grid_sampler {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnGridSampler2DGetWorkspaceSize)>(forward::kContract, &ForwardTruth,
                                                               &DrawSampler<forward::kGrid>,
                                                               /*holds_beyond_finite=*/false),
    truth::Entry<decltype(aclnnGridSampler2DBackwardGetWorkspaceSize)>(
        backward::kContract, &BackwardTruth, &DrawSampler<backward::kGrid>,
        /*holds_beyond_finite=*/false),
};

}  // namespace aclimb::grid_sampler
