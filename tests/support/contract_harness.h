#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclimb/contract/check.h"
#include "aclimb/contract/contract.h"
#include "aclnn/acl_meta.h"
#include "tests/support/call_arguments.h"
#include "tests/support/rule_cases.h"
#include "tests/support/rule_message.h"

// Negative tests from the contract's own table: nulls, dead handles, dtypes, formats, ranks,
// extents, outputs that overlap, shapes and all rules that are data are generated from a valid
// call; the operator's test adds one case per rule of its own, and the harness fails when a rule
// has none.
namespace aclimb::testing {

// What the message of a rule must name when the rule's sentence names several arguments: each of
// them, or two at least (of arguments that the message need not have taken from the sentence).
enum class Naming { kEach, kSome };

// The harness of a first phase of any type, which `phase1` calls.
class ContractChecks {
 public:
  using Mutation = std::function<void(CallArguments&)>;
  using Phase1 = std::function<aclnnStatus(CallArguments&, uint64_t*, aclOpExecutor**)>;

  // `fill` makes a call that phase 1 accepts.
  ContractChecks(const contract::Contract& contract, Phase1 phase1, Mutation fill,
                 Naming naming = Naming::kSome)
      : contract_(contract), phase1_(std::move(phase1)), fill_(std::move(fill)), naming_(naming) {}

  // The unmutated call is accepted.
  void ExpectAccepted(const Mutation& mutate = [](CallArguments&) {});

  // One violation: the code, one four-part message with this rule id, outputs untouched. The
  // message shows the value of each argument that it names.
  void ExpectViolation(const std::string& rule, int code, const Mutation& mutate);

  // One of the contract's own rules, by its short id. A message of a rule that relates several
  // arguments names them: those of the rule's sentence, unless `related` lists others (a sentence
  // may be about each argument alone).
  void ExpectRule(const std::string& id, const Mutation& mutate,
                  const std::optional<std::set<std::string>>& related = std::nullopt);

  // Everything that follows from the parameters and the valid call. `by_hand` lists rules, by their
  // short ids, whose generated case would violate another rule first.
  void ExpectGenericRules(const std::set<std::string>& by_hand = {});

  // The same of a valid call by chance, in which a generated case may well violate another rule
  // first: that one has to be told as well. Rules of `covered` have had their case; those that have
  // one here join them.
  void ExpectRefusals(std::set<std::string>& covered);

  // Call last: every rule of the contract had a case. `elsewhere` lists rules that other tests
  // cover (the product rule needs another ACLIMB_SOC).
  void ExpectEveryRuleCovered(const std::set<std::string>& elsewhere = {});

 private:
  // Nulls, dead handles, dtypes, formats, ranks and extents: what the parameters alone forbid.
  std::vector<RuleCase> ParameterCases();
  void AddTensorCases(int index, std::vector<RuleCase>& cases);
  void AddOverlap(int index, std::vector<RuleCase>& cases);
  // The same for the last two parameters of every first phase.
  void ExpectResultPointers();

  std::string Id(const char* kind, const std::string& name) const;
  std::string Function() const { return std::string(contract_.function) + "GetWorkspaceSize"; }

  // Runs the call, which has to be refused, and looks at all but the rule.
  struct Refusal {
    int code = 0;
    RuleMessage message;
  };
  Refusal Refused(const Mutation& mutate);
  RuleMessage Violate(const std::string& rule, int code, const Mutation& mutate);
  void ExpectNames(const contract::OwnRule& own, const RuleMessage& message,
                   const std::optional<std::set<std::string>>& related) const;
  std::set<std::string> RelatedArguments(const contract::OwnRule& own) const;

  const contract::Contract& contract_;
  Phase1 phase1_;
  Mutation fill_;
  Naming naming_;
  std::set<std::string> covered_;
};

namespace harness_internal {
template <typename T>
T Convert(const contract::Argument& argument) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<T>(const_cast<void*>(argument.handle));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(argument.real);
  } else {
    return static_cast<T>(argument.integer);
  }
}

template <typename... P, size_t... I>
aclnnStatus Call(aclnnStatus (*phase1)(P...), CallArguments& arguments, uint64_t* size,
                 aclOpExecutor** executor, std::index_sequence<I...>) {
  using Types = std::tuple<P...>;
  return phase1(Convert<std::tuple_element_t<I, Types>>(arguments.At(static_cast<int>(I)))..., size,
                executor);
}
}  // namespace harness_internal

template <typename Function>
class ContractHarness;

template <typename... P>
class ContractHarness<aclnnStatus(P...)> : public ContractChecks {
 public:
  ContractHarness(const contract::Contract& contract, aclnnStatus (*phase1)(P...), Mutation fill,
                  Naming naming = Naming::kSome)
      : ContractChecks(
            contract,
            [phase1](CallArguments& arguments, uint64_t* size, aclOpExecutor** executor) {
              return harness_internal::Call(phase1, arguments, size, executor,
                                            std::make_index_sequence<sizeof...(P) - 2>());
            },
            std::move(fill), naming) {}
};

}  // namespace aclimb::testing
