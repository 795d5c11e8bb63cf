#pragma once

#include "tests/support/rule_cases.h"

namespace aclimb::testing {

// The cases of one rule about dtypes, or about a scalar's value in them; see CasesOf.
void AddDTypeCases(const contract::Contract& contract, const contract::Rule& rule,
                   CallArguments& valid, RuleCases& cases);

}  // namespace aclimb::testing
