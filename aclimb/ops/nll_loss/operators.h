#pragma once

#include "aclimb/ops/nll_loss/contract.h"
#include "aclimb/ops/nll_loss/draw.h"
#include "aclimb/ops/nll_loss/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::nll_loss {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnNLLLossGetWorkspaceSize)>(kNLLLossContract, &ForwardTruth,
                                                         &DrawForward<false>),
    truth::Entry<decltype(aclnnNLLLoss2dGetWorkspaceSize)>(kNLLLoss2dContract, &ForwardTruth,
                                                           &DrawForward<true>),
    truth::Entry<decltype(aclnnNLLLossBackwardGetWorkspaceSize)>(
        kNLLLossBackwardContract, &BackwardTruth, &DrawBackward<false>),
    truth::Entry<decltype(aclnnNLLLoss2dBackwardGetWorkspaceSize)>(
        kNLLLoss2dBackwardContract, &BackwardTruth, &DrawBackward<true>)};

}  // namespace aclimb::nll_loss
