#pragma once

#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/core/status.h"

namespace aclimb::contract {

// The two hold the arguments against the contract and return the first violation.

// Null pointers: they precede everything, also an unknown product.
Status CheckNulls(const Contract& contract, const Arguments& arguments);

// All else, when no null is wrong, in the order of ChecksInOrder() for every operator.
Status Check(const Contract& contract, const Arguments& arguments);

// What the two find, in the order in which they look for it.
std::vector<const char*> ChecksInOrder();

// A check that the contract spells out: one of its rules, or the pattern of a parameter's shape.
struct OwnRule {
  std::string id;  // without the folder
  int code = 0;
  std::string statement;
  std::string fix;
  const Rule* rule = nullptr;  // null: the shape of `parameter`
  int parameter = -1;
};
// In the order in which they are checked.
std::vector<OwnRule> OwnRules(const Contract& contract);

// Every rule id that they can produce for this contract, "elu_backward/null/alpha" first, those of
// OwnRules last. A test holds that each has a negative case.
std::vector<std::string> RuleIds(const Contract& contract);

}  // namespace aclimb::contract
