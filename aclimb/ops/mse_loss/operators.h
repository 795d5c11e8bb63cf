#pragma once

#include "aclimb/ops/mse_loss/contract.h"
#include "aclimb/ops/mse_loss/draw.h"
#include "aclimb/ops/mse_loss/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::mse_loss {

inline constexpr truth::InPlace kForwardInPlace[] = {{Forward::kOut, Forward::kSelf},
                                                     {Forward::kOut, Forward::kTarget}};
inline constexpr truth::InPlace kBackwardInPlace[] = {{Backward::kOut, Backward::kGradOutput},
                                                      {Backward::kOut, Backward::kSelf},
                                                      {Backward::kOut, Backward::kTarget}};
inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnMseLossGetWorkspaceSize)>(kMseLossContract, &ForwardTruth,
                                                         &DrawForward, kForwardInPlace),
    truth::Entry<decltype(aclnnMseLossBackwardGetWorkspaceSize)>(
        kMseLossBackwardContract, &BackwardTruth, &DrawBackward, kBackwardInPlace)};

}  // namespace aclimb::mse_loss
