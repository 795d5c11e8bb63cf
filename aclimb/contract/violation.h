#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/core/text.h"

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
std::optional<std::string> LossViolation(const Contract& contract, const Rule& rule,
                                         const Arguments& arguments);
// Of the kinds about numbers and texts.
std::optional<std::string> AttributeViolation(const Contract& contract, const Rule& rule,
                                              const Arguments& arguments);

// Of the kinds about how many entries and elements there are, and about what is given at all.
std::optional<std::string> PresenceViolation(const Contract& contract, const Rule& rule,
                                             const Arguments& arguments);

// What those kinds demand, for the operator's page: "samplingRatio is a number of at least 0".
std::string AttributeStatement(const Contract& contract, const Rule& rule);
std::string PresenceStatement(const Contract& contract, const Rule& rule);

// "dim is 3", "stride is [1, 0]", "eps is FLOAT 0"
std::string ToldAttribute(const Contract& contract, const Arguments& arguments, int parameter,
                          bool is_uint64 = false);
// "1 entry", "3 entries"
template <typename T>
std::string EntriesText(T count) {
  return Cat(count, count == 1 ? " entry" : " entries");
}
// "a", "a and b", "a, b and c"
std::string Joined(const std::vector<std::string>& parts);

}  // namespace aclimb::contract
