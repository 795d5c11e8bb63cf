#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/contract.h"

// What is wrong by a rule, in a sentence that shows every argument it relates; nothing when the
// rule holds. Arguments that are not given violate no rule but Wanted.
namespace aclimb::contract {

std::optional<std::string> Violation(const Contract& contract, const Rule& rule,
                                     const Arguments& arguments);

// What to do about it: the rule's own advice, but where inputs do not broadcast no output helps.
const char* FixOf(const Contract& contract, const Rule& rule, const Arguments& arguments);

// Of the kinds that relate two parameters with tensors: equal dtypes, ranks and shapes.
std::optional<std::string> PairViolation(const Contract& contract, const Rule& rule,
                                         const Arguments& arguments);
std::optional<std::string> PromotionViolation(const Contract& contract, const Rule& rule,
                                              const Arguments& arguments);
std::optional<std::string> ScalarViolation(const Contract& contract, const Rule& rule,
                                           const Arguments& arguments);
std::optional<std::string> BroadcastViolation(const Contract& contract, const Rule& rule,
                                              const Arguments& arguments);
std::optional<std::string> ReductionViolation(const Contract& contract, const Rule& rule,
                                              const Arguments& arguments);
// Of the kinds about numbers, texts, arrays and what is given at all.
std::optional<std::string> AttributeViolation(const Contract& contract, const Rule& rule,
                                              const Arguments& arguments);

// What those kinds demand, for the operator's page: "samplingRatio is a number of at least 0".
std::string AttributeStatement(const Contract& contract, const Rule& rule);

}  // namespace aclimb::contract
