#pragma once

#include "aclimb/ops/mse_loss/contract.h"
#include "aclimb/ops/mse_loss/draw.h"
#include "aclimb/ops/mse_loss/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::mse_loss {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnMseLossGetWorkspaceSize)>(kMseLossContract, &ForwardTruth,
                                                         &DrawForward),
    truth::Entry<decltype(aclnnMseLossBackwardGetWorkspaceSize)>(kMseLossBackwardContract,
                                                                 &BackwardTruth, &DrawBackward)};

}  // namespace aclimb::mse_loss
