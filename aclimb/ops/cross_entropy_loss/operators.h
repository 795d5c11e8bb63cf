#pragma once

#include "aclimb/ops/cross_entropy_loss/contract.h"
#include "aclimb/ops/cross_entropy_loss/draw.h"
#include "aclimb/ops/cross_entropy_loss/probabilities_contract.h"
#include "aclimb/ops/cross_entropy_loss/probabilities_truth.h"
#include "aclimb/ops/cross_entropy_loss/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::cross_entropy_loss {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnCrossEntropyLossGetWorkspaceSize)>(kContract, &Truth, &DrawCall),
    truth::Entry<decltype(aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize)>(
        kProbabilitiesContract, &ProbabilitiesTruth, &DrawProbabilities)};

}  // namespace aclimb::cross_entropy_loss
