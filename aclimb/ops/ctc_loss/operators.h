#pragma once

#include "aclimb/ops/ctc_loss/contracts.h"
#include "aclimb/ops/ctc_loss/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::ctc_loss {

// Where probabilities are infinite, what is left of them depends on the form of the sums.
inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnCtcLossGetWorkspaceSize)>(forward::kContract, &LossTruth,
                                                         &DrawCtc<Forward>, false),
    truth::Entry<decltype(aclnnCtcLossBackwardGetWorkspaceSize)>(
        backward::kContract, &GradientTruth, &DrawCtc<Backward>, false)};

}  // namespace aclimb::ctc_loss
