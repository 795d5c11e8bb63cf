#pragma once

#include "aclimb/ops/trans_matmul_weight/contract.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/operator_entry.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::trans_matmul_weight {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  outputs.Set(kWeight, call.Values(kWeight), truth::Allowance{});
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnTransMatmulWeightGetWorkspaceSize)>(kContract, &Truth)};

}  // namespace aclimb::trans_matmul_weight
