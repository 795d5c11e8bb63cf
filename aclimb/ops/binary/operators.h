#pragma once

#include "aclimb/ops/binary/contracts.h"
#include "aclimb/ops/binary/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::binary {

template <Operation kOperation, bool kInPlace>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  truths::Compute(kOperation, kInPlace, call, outputs);
}

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_BINARY(name, Name, header, parameters, arguments, operation, ...) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract,       \
                                                        &Truth<operation, false>),
#define ACLIMB_BINARY_IN_PLACE(name, Name, header, parameters, arguments, operation, ...) \
  truth::Entry<decltype(aclnnInplace##Name##GetWorkspaceSize)>(kInplace##Name##Contract,  \
                                                               &Truth<operation, true>),
#include "aclimb/ops/binary/rows.inc"
#undef ACLIMB_BINARY
#undef ACLIMB_BINARY_IN_PLACE
};

}  // namespace aclimb::binary
