#pragma once

#include "aclimb/ops/apply_adam_w_v2/contract.h"
#include "aclimb/ops/apply_adam_w_v2/draw.h"
#include "aclimb/ops/apply_adam_w_v2/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::apply_adam_w_v2 {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnApplyAdamWV2GetWorkspaceSize)>(kContract, &Truth, &DrawCall)};

}  // namespace aclimb::apply_adam_w_v2
