#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "tests/support/call_arguments.h"

namespace aclimb::testing {

// A way to turn a valid call into one that violates a rule.
struct RuleCase {
  std::string id;  // without the folder
  std::function<void(CallArguments&)> mutate;
  // The arguments that the message names, when they are not those of the rule's sentence.
  std::optional<std::set<std::string>> related = {};
  int code = 0;  // unless the rule itself has one
  // Whether it is for calls in which the case before violates another rule first.
  bool instead = false;
};

struct RuleCases {
  std::vector<RuleCase> violations;
  // Rules that no call of the right dtypes violates.
  std::set<std::string> without;
};

// Of the shapes and rules of a contract that are data: extents one too large, dtypes that do not
// meet, numbers beside their range. `valid` is a call that phase 1 accepts; a rule about an
// argument that it does not give has no case.
RuleCases CasesOf(const contract::Contract& contract, CallArguments& valid);

// The dtypes of the mask, the first of them, and one that is not in it.
std::vector<DType> DTypesOf(contract::DTypeMask mask);
DType FirstDType(contract::DTypeMask mask);
DType DTypeOutside(contract::DTypeMask mask);
// A format of the mask, ND if it has it.
int FirstFormat(contract::FormatMask mask);

}  // namespace aclimb::testing
