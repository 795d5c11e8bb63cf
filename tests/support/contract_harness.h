#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclimb/contract/check.h"
#include "aclimb/contract/contract.h"
#include "aclimb/core/descriptor.h"
#include "tests/support/call_arguments.h"
#include "tests/support/rule_cases.h"
#include "tests/support/rule_message.h"

// Negative tests from the contract's own table: nulls, dead handles, dtypes, formats, ranks,
// extents, outputs that overlap, shapes and all rules that are data are generated from a valid
// call; the operator's test adds one case per rule of its own, and the harness fails when a rule
// has none.
namespace aclimb::testing {

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
}  // namespace harness_internal

// What the message of a rule must name when the rule's sentence names several arguments: each of
// them, or two at least (of arguments that the message need not have taken from the sentence).
enum class Naming { kEach, kSome };

template <typename Function>
class ContractHarness;

template <typename... P>
class ContractHarness<aclnnStatus(P...)> {
 public:
  using Mutation = std::function<void(CallArguments&)>;

  // `fill` makes a call that phase 1 accepts.
  ContractHarness(const contract::Contract& contract, aclnnStatus (*phase1)(P...), Mutation fill,
                  Naming naming = Naming::kSome)
      : contract_(contract), phase1_(phase1), fill_(std::move(fill)), naming_(naming) {}

  // The unmutated call is accepted.
  void ExpectAccepted(const Mutation& mutate = [](CallArguments&) {}) {
    CallArguments arguments(kCount);
    fill_(arguments);
    mutate(arguments);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(Call(arguments, &size, &executor), 0) << aclGetRecentErrMsg();
    EXPECT_NE(executor, nullptr);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  }

  // One violation: the code, one four-part message with this rule id, outputs untouched. The
  // message shows the value of each argument that it names.
  void ExpectViolation(const std::string& rule, int code, const Mutation& mutate) {
    (void)Violate(rule, code, mutate);
  }

  // One of the contract's own rules, by its short id. A message of a rule that relates several
  // arguments names them: those of the rule's sentence, unless `related` lists others (a sentence
  // may be about each argument alone).
  void ExpectRule(const std::string& id, const Mutation& mutate,
                  const std::optional<std::set<std::string>>& related = std::nullopt) {
    for (const contract::OwnRule& own : contract::OwnRules(contract_)) {
      if (id != own.id) continue;
      const RuleMessage message =
          Violate(std::string(contract_.folder) + "/" + id, own.code, mutate);
      SCOPED_TRACE(id);
      const bool all = own.rule == nullptr || own.rule->kind != contract::RuleKind::kCustom;
      ExpectNamed(message, related ? *related : RelatedArguments(own),
                  related || all ? Naming::kEach : naming_);
      return;
    }
    ADD_FAILURE() << "the contract has no rule " << id;
  }

  // Everything that follows from the parameters and the valid call. `by_hand` lists rules, by their
  // short ids, whose generated case would violate another rule first.
  void ExpectGenericRules(const std::set<std::string>& by_hand = {}) {
    ExpectParameters();
    CallArguments valid(kCount);
    fill_(valid);
    const RuleCases cases = CasesOf(contract_, valid);
    for (const RuleCase& each : cases.violations) {
      if (by_hand.count(each.id) == 0) ExpectRule(each.id, each.mutate, each.related);
    }
    for (const std::string& id : cases.without) {
      covered_.insert(std::string(contract_.folder) + "/" + id);
    }
  }

  // Call last: every rule of the contract had a case. `elsewhere` lists rules that other tests
  // cover (the product rule needs another ACLIMB_SOC).
  void ExpectEveryRuleCovered(const std::set<std::string>& elsewhere = {}) {
    for (const std::string& id : contract::RuleIds(contract_)) {
      if (elsewhere.count(id) == 0) {
        EXPECT_EQ(covered_.count(id), 1u) << id << " has no negative case";
      }
    }
  }

 private:
  static constexpr size_t kCount = sizeof...(P) - 2;

  // Nulls, dead handles, dtypes, formats, ranks and extents.
  void ExpectParameters() {
    for (int i = 0; i < static_cast<int>(contract_.parameters.size()); ++i) {
      const contract::Parameter& parameter = contract_.parameters[static_cast<size_t>(i)];
      const std::string name = parameter.name;
      if (contract::IsPointer(parameter.kind) && !parameter.optional) {
        ExpectViolation(Id("null", name), kAclnnNullptr, [i](CallArguments& a) { a.Null(i); });
      }
      if (contract::IsPointer(parameter.kind) && parameter.kind != contract::Kind::kString) {
        ExpectViolation(Id("handle", name), kAclnnInvalid, [&](CallArguments& a) {
          const int64_t one = 1;
          aclIntArray* dead = aclCreateIntArray(&one, 1);
          (void)aclDestroyIntArray(dead);
          a.Handle(i, dead);
        });
      }
      if (contract::IsList(parameter.kind)) {
        ExpectViolation(Id("null", name), kAclnnNullptr,
                        [&](CallArguments& a) { a.NullElement(i, parameter.kind); });
        ExpectViolation(Id("handle", name), kAclnnInvalid,
                        [&](CallArguments& a) { a.DeadElement(i, parameter.kind); });
      }
      if (contract::HasTensors(parameter.kind)) ExpectTensorRules(parameter, i);
    }
    for (const char* name : {"workspaceSize", "executor"}) {
      SCOPED_TRACE(name);
      CallArguments arguments(kCount);
      fill_(arguments);
      (void)aclGetRecentErrMsg();
      uint64_t size = 0;
      aclOpExecutor* executor = nullptr;
      const bool no_size = std::string(name) == "workspaceSize";
      EXPECT_EQ(Call(arguments, no_size ? nullptr : &size, no_size ? &executor : nullptr),
                kAclnnNullptr);
      const RuleMessage message(aclGetRecentErrMsg());
      message.ExpectWhole(Function(), Id("null", name), kAclnnNullptr);
      EXPECT_TRUE(message.Names(name)) << message.what();
    }
  }

  std::string Id(const char* kind, const std::string& name) const {
    return std::string(contract_.folder) + "/" + kind + "/" + name;
  }

  std::string Function() const { return std::string(contract_.function) + "GetWorkspaceSize"; }

  RuleMessage Violate(const std::string& rule, int code, const Mutation& mutate) {
    SCOPED_TRACE(rule);
    covered_.insert(rule);
    CallArguments arguments(kCount);
    fill_(arguments);
    mutate(arguments);
    (void)aclGetRecentErrMsg();
    uint64_t size = 77;
    auto* const untouched = reinterpret_cast<aclOpExecutor*>(uintptr_t{0x55});
    aclOpExecutor* executor = untouched;
    EXPECT_EQ(Call(arguments, &size, &executor), code);
    EXPECT_TRUE(executor == untouched || executor == nullptr);
    RuleMessage message(aclGetRecentErrMsg());
    message.ExpectWhole(Function(), rule, code);
    for (size_t i = 0; i < contract_.parameters.size(); ++i) {
      const contract::Parameter& parameter = contract_.parameters[i];
      if (IsWordOfMessages(parameter.name) || !message.Names(parameter.name)) continue;
      EXPECT_TRUE(message.ShowsOneOf(ValueTexts(parameter.kind, arguments.At(static_cast<int>(i)))))
          << "no value of " << parameter.name << " in: " << message.what();
    }
    return message;
  }

  // Attributes of these names are not told from what messages say of tensors.
  static bool IsWordOfMessages(std::string_view name) {
    return name == "dtype" || name == "shape" || name == "strides" || name == "to";
  }

  void ExpectNamed(const RuleMessage& message, const std::set<std::string>& related,
                   Naming naming) const {
    if (naming == Naming::kEach) {
      for (const std::string& name : related) {
        EXPECT_TRUE(message.Names(name)) << name << " is missing from: " << message.what();
      }
      return;
    }
    size_t named = 0;
    for (const contract::Parameter& parameter : contract_.parameters) {
      if (message.Names(parameter.name)) ++named;
    }
    EXPECT_GE(named, std::min<size_t>(2, related.size())) << message.what();
  }

  std::set<std::string> RelatedArguments(const contract::OwnRule& own) const {
    // Of a pattern, that which the wrong extents depend on is named; the shape itself is always.
    if (own.rule == nullptr) return {contract_.At(own.parameter).name};
    std::set<std::string> names;
    for (int index : contract::ParametersOf(*own.rule)) {
      if (index >= 0) names.insert(contract_.At(index).name);
    }
    for (const contract::Parameter& parameter : contract_.parameters) {
      if (HasWord(own.rule->statement, parameter.name)) names.insert(parameter.name);
    }
    return names;
  }

  void ExpectTensorRules(const contract::Parameter& parameter, int i) {
    const contract::DTypeMask mask = parameter.dtypes[Product::kA2];
    const DType good = FirstDType(mask);
    const aclFormat format = static_cast<aclFormat>(FirstFormat(parameter.formats));
    const std::vector<int64_t> shape(static_cast<size_t>(std::max(1, parameter.min_rank)), 2);
    const bool in_list = parameter.kind == contract::Kind::kTensorList;
    // As many as the valid call has, since lists are counted first.
    CallArguments valid(kCount);
    fill_(valid);
    const size_t size = std::max<size_t>(1, valid.Specs(i).size());
    const auto give = [in_list, i, size](CallArguments& a, const TensorSpec& spec) {
      in_list ? a.Tensors(i, std::vector<TensorSpec>(size, spec)) : a.Tensor(i, spec);
    };
    if (mask != 0) {
      const DType bad = DTypeOutside(mask);
      ExpectViolation(Id("dtype", parameter.name), kAclnnInvalid, [&](CallArguments& a) {
        give(a, {shape, bad, format});
      });
    }
    // Weights may have been prepared for the matrix unit.
    const bool prepared = (parameter.formats >> ACL_FORMAT_FRACTAL_NZ & 1) != 0;
    const aclFormat blocked = prepared ? ACL_FORMAT_NC1HWC0 : ACL_FORMAT_FRACTAL_NZ;
    ExpectViolation(Id("format", parameter.name), kAclnnInvalid, [&](CallArguments& a) {
      give(a, {shape, good, blocked});
    });
    const std::vector<int64_t> too_many(static_cast<size_t>(parameter.max_rank) + 1, 1);
    ExpectViolation(Id("rank", parameter.name), contract_.rank_code, [&](CallArguments& a) {
      give(a, {too_many, good, format});
    });
    ExpectViolation(Id("extent", parameter.name), kAclnnInvalid, [&](CallArguments& a) {
      if (parameter.max_rank == 0) return;
      give(a, {shape, good, format, std::vector<int64_t>(shape.size(), INT64_MAX)});
    });
    if (contract::IsWritten(parameter.role)) ExpectNoOverlap(parameter, i);
  }

  // The tensor of the valid call, expanded from one element along one dimension.
  void ExpectNoOverlap(const contract::Parameter& parameter, int i) {
    CallArguments valid(kCount);
    fill_(valid);
    std::vector<TensorSpec> specs = valid.Specs(i);
    const std::string id = Id("overlap", parameter.name);
    for (TensorSpec& spec : specs) {
      const auto longer = std::find_if(spec.shape.begin(), spec.shape.end(),
                                       [](int64_t extent) { return extent > 1; });
      if (longer == spec.shape.end()) continue;
      if (spec.stride.empty()) spec.stride = ContiguousStrides(spec.shape);
      spec.stride[static_cast<size_t>(longer - spec.shape.begin())] = 0;
      ExpectViolation(id, kAclnnInvalid, [&](CallArguments& a) {
        parameter.kind == contract::Kind::kTensorList ? a.Tensors(i, specs) : a.Tensor(i, spec);
      });
      return;
    }
    // Nothing can overlap in the valid call's output.
    covered_.insert(id);
  }

  aclnnStatus Call(CallArguments& arguments, uint64_t* size, aclOpExecutor** executor) {
    return Call(arguments, size, executor, std::make_index_sequence<kCount>());
  }
  template <size_t... I>
  aclnnStatus Call(CallArguments& arguments, uint64_t* size, aclOpExecutor** executor,
                   std::index_sequence<I...>) {
    using Types = std::tuple<P...>;
    return phase1_(harness_internal::Convert<std::tuple_element_t<I, Types>>(
                       arguments.At(static_cast<int>(I)))...,
                   size, executor);
  }

  const contract::Contract& contract_;
  aclnnStatus (*phase1_)(P...);
  Mutation fill_;
  Naming naming_;
  std::set<std::string> covered_;
};

}  // namespace aclimb::testing
