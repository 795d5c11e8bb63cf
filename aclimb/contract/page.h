#pragma once

#include <string>

#include "aclimb/contract/contract.h"

namespace aclimb::contract {

// The operator's page in Markdown: parameters, dtypes per product, and every rule with its code and
// fix, all read from the table that the checks read.
std::string Page(const Contract& contract);

}  // namespace aclimb::contract
