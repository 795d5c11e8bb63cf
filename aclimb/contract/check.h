#pragma once

#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/core/status.h"

namespace aclimb::contract {

// Holds the arguments against the contract and returns the first violation. Order, for every
// operator: null pointers; dead handles; product; dtypes; formats; ranks; extents; then the rules
// in table order.
Status Check(const Contract& contract, const Arguments& arguments);

// The null-pointer checks alone: they precede everything, also an unknown product.
Status CheckNulls(const Contract& contract, const Arguments& arguments);

// Every rule id that Check can produce for this contract, "elu_backward/null/alpha" first. A test
// holds that each has a negative case.
std::vector<std::string> RuleIds(const Contract& contract);

}  // namespace aclimb::contract
