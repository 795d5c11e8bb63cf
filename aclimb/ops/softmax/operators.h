#pragma once

#include "aclimb/ops/softmax/contracts.h"
#include "aclimb/ops/softmax/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::softmax {

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_SOFTMAX(name, Name, header, logarithm, ...)                 \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, \
                                                        &ForwardTruth<logarithm>),
#define ACLIMB_SOFTMAX_BACKWARD(name, Name, header, logarithm, ...)        \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, \
                                                        &BackwardTruth<logarithm>),
#include "aclimb/ops/softmax/rows.inc"
#undef ACLIMB_SOFTMAX
#undef ACLIMB_SOFTMAX_BACKWARD
};

}  // namespace aclimb::softmax
