#pragma once

#include <initializer_list>
#include <optional>
#include <utility>

#include "aclimb/truth/call.h"
#include "aclimb/truth/operator_entry.h"

// Calls like one that was drawn, which the operator may accept as well.
namespace aclimb::testing {

// A parameter, and a dtype that its tensors may have.
using OfTensor = std::pair<int, DType>;

// The call with these dtypes, if phase 1 accepts that.
std::optional<truth::Call> WithDTypes(const truth::OperatorEntry& entry, truth::Call call,
                                      std::initializer_list<OfTensor> dtypes);

// Whether phase 1 accepts the call when all its extents that are some number are 0.
bool AcceptsEmpty(const truth::OperatorEntry& entry, const truth::Call& call);

}  // namespace aclimb::testing
