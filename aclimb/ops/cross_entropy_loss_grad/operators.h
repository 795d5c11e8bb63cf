#pragma once

#include "aclimb/ops/cross_entropy_loss_grad/contract.h"
#include "aclimb/ops/cross_entropy_loss_grad/draw.h"
#include "aclimb/ops/cross_entropy_loss_grad/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::cross_entropy_loss_grad {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnCrossEntropyLossGradGetWorkspaceSize)>(kContract, &Truth,
                                                                      &DrawCall)};

}  // namespace aclimb::cross_entropy_loss_grad
