#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/pointwise/activation_contracts.h"
#include "aclimb/ops/pointwise/combination_contracts.h"
#include "aclimb/ops/pointwise/gradient_contracts.h"
#include "aclimb/ops/pointwise/selection_contracts.h"
#include "pointwise_headers.h"

// The contracts of the rows: k<Name>Contract.
namespace aclimb::pointwise {

#define ACLIMB_POINTWISE(name, Name, header, plan, truth, parameter_list, argument_list, sentence) \
  inline constexpr contract::Contract k##Name##Contract = {.function = "aclnn" #Name,              \
                                                           .folder = #name,                        \
                                                           .summary = sentence,                    \
                                                           .parameters = k##Name##Parameters,      \
                                                           .rules = k##Name##Rules};               \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#include "aclimb/ops/pointwise/rows.inc"
#undef ACLIMB_POINTWISE

}  // namespace aclimb::pointwise
