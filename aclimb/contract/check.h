#pragma once

#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/core/status.h"

namespace aclimb::contract {

// The two hold the arguments against the contract and return the first violation.

// Null pointers: they precede everything, also an unknown product.
Status CheckNulls(const Contract& contract, const Arguments& arguments);

// All else, when no null is wrong. Order, for every operator: dead handles; product; arguments that
// others ask for; dtypes; formats; ranks; extents; then the rules in table order.
Status Check(const Contract& contract, const Arguments& arguments);

// Every rule id that they can produce for this contract, "elu_backward/null/alpha" first. A test
// holds that each has a negative case.
std::vector<std::string> RuleIds(const Contract& contract);

}  // namespace aclimb::contract
