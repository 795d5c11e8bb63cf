#pragma once

#include "aclimb/ops/prelu/contracts.h"
#include "aclimb/ops/prelu/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::prelu {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnPreluGetWorkspaceSize)>(forward::kContract, &ForwardTruth,
                                                       &DrawForward),
    truth::Entry<decltype(aclnnPreluBackwardGetWorkspaceSize)>(backward::kContract, &BackwardTruth,
                                                               &DrawBackward),
};

}  // namespace aclimb::prelu
