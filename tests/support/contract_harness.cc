#include "tests/support/contract_harness.h"

#include <algorithm>
#include <string_view>

#include "acl/acl.h"
#include "aclimb/core/descriptor.h"

namespace aclimb::testing {
namespace {

using contract::Kind;

// Attributes of these names are not told from what messages say of tensors.
bool IsWordOfMessages(std::string_view name) {
  return name == "dtype" || name == "shape" || name == "strides" || name == "offset" ||
         name == "to";
}

}  // namespace

void ContractChecks::ExpectAccepted(const Mutation& mutate) {
  CallArguments arguments(contract_.parameters.size());
  fill_(arguments);
  mutate(arguments);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(phase1_(arguments, &size, &executor), 0) << aclGetRecentErrMsg();
  EXPECT_NE(executor, nullptr);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

void ContractChecks::ExpectViolation(const std::string& rule, int code, const Mutation& mutate) {
  (void)Violate(rule, code, mutate);
}

void ContractChecks::ExpectRule(const std::string& id, const Mutation& mutate,
                                const std::optional<std::set<std::string>>& related) {
  for (const contract::OwnRule& own : contract::OwnRules(contract_)) {
    if (id != own.id) continue;
    const RuleMessage message = Violate(std::string(contract_.folder) + "/" + id, own.code, mutate);
    SCOPED_TRACE(id);
    ExpectNames(own, message, related);
    return;
  }
  ADD_FAILURE() << "the contract has no rule " << id;
}

void ContractChecks::ExpectGenericRules(const std::set<std::string>& by_hand) {
  for (const RuleCase& each : ParameterCases()) {
    ExpectViolation(std::string(contract_.folder) + "/" + each.id, each.code, each.mutate);
  }
  ExpectResultPointers();
  CallArguments valid(contract_.parameters.size());
  fill_(valid);
  const RuleCases cases = CasesOf(contract_, valid);
  for (const RuleCase& each : cases.violations) {
    if (by_hand.count(each.id) == 0 && !each.instead)
      ExpectRule(each.id, each.mutate, each.related);
  }
  for (const std::string& id : cases.without) {
    covered_.insert(std::string(contract_.folder) + "/" + id);
  }
  // Nothing may overlap, or reach far, in this call's tensors; OperatorSuite has other calls.
  for (const contract::Parameter& parameter : contract_.parameters) {
    covered_.insert({Id("overlap", parameter.name), Id("extent", parameter.name)});
  }
}

void ContractChecks::ExpectRefusals(std::set<std::string>& covered) {
  CallArguments valid(contract_.parameters.size());
  fill_(valid);
  const RuleCases cases = CasesOf(contract_, valid);
  for (const std::string& id : cases.without) {
    covered.insert(std::string(contract_.folder) + "/" + id);
  }
  std::vector<RuleCase> all = ParameterCases();
  all.insert(all.end(), cases.violations.begin(), cases.violations.end());
  const std::vector<contract::OwnRule> rules = contract::OwnRules(contract_);
  for (const RuleCase& each : all) {
    const std::string id = std::string(contract_.folder) + "/" + each.id;
    if (covered.count(id) != 0) continue;
    SCOPED_TRACE(id);
    const Refusal refusal = Refused(each.mutate);
    const std::string rule = refusal.message.rule();
    const bool of_parameter = rule == id && each.code != 0;
    if (of_parameter) {
      EXPECT_EQ(refusal.code, each.code);
    }
    for (const contract::OwnRule& own : rules) {
      // A rule that adds to what a parameter says may have the id of that.
      if (of_parameter || rule != std::string(contract_.folder) + "/" + own.id) continue;
      EXPECT_EQ(refusal.code, own.code);
      std::set<std::string> names = RelatedArguments(own);
      // What is not given is not told.
      std::erase_if(names, [&](const std::string& name) {
        return contract_.At(contract_.IndexOf(name)).optional;
      });
      ExpectNames(own, refusal.message, rule == id && each.related ? each.related : names);
      break;
    }
    refusal.message.ExpectWhole(Function(), rule, refusal.code);
    if (rule == id) covered.insert(id);
  }
}

void ContractChecks::ExpectEveryRuleCovered(const std::set<std::string>& elsewhere) {
  for (const std::string& id : contract::RuleIds(contract_)) {
    if (elsewhere.count(id) == 0) {
      EXPECT_EQ(covered_.count(id), 1u) << id << " has no negative case";
    }
  }
}

std::vector<RuleCase> ContractChecks::ParameterCases() {
  std::vector<RuleCase> cases;
  for (int i = 0; i < static_cast<int>(contract_.parameters.size()); ++i) {
    const contract::Parameter& parameter = contract_.At(i);
    const Kind kind = parameter.kind;
    const std::string null = std::string("null/") + parameter.name;
    const std::string handle = std::string("handle/") + parameter.name;
    if (contract::IsPointer(kind) && !parameter.optional) {
      cases.push_back({null, [i](CallArguments& a) { a.Null(i); }, {}, kAclnnNullptr});
    }
    if (contract::IsPointer(kind) && kind != Kind::kString) {
      cases.push_back({handle, [i](CallArguments& a) { a.Dead(i); }, {}, kAclnnInvalid});
    }
    if (contract::IsList(kind)) {
      cases.push_back({null, [=](CallArguments& a) { a.NullElement(i, kind); }, {}, kAclnnNullptr});
      cases.push_back(
          {handle, [=](CallArguments& a) { a.DeadElement(i, kind); }, {}, kAclnnInvalid});
    }
    if (contract::HasTensors(kind)) AddTensorCases(i, cases);
  }
  return cases;
}

void ContractChecks::AddTensorCases(int index, std::vector<RuleCase>& cases) {
  const contract::Parameter& parameter = contract_.At(index);
  const contract::DTypeMask mask = parameter.dtypes[Product::kA2];
  // The tensor of the valid call, or one that it might have; in a list, as many.
  CallArguments valid(contract_.parameters.size());
  fill_(valid);
  const std::vector<TensorSpec> specs = valid.Specs(index);
  TensorSpec good = {std::vector<int64_t>(static_cast<size_t>(std::max(1, parameter.min_rank)), 2),
                     FirstDType(mask), static_cast<aclFormat>(FirstFormat(parameter.formats))};
  const bool absent = parameter.empty_is_absent && !specs.empty() &&
                      std::ranges::count(specs.front().shape, 0) != 0;
  if (!specs.empty() && !absent) {
    good = specs.front();
    good.stride.clear();
  }
  const bool in_list = parameter.kind == Kind::kTensorList;
  const size_t size = std::max<size_t>(1, specs.size());
  const auto add = [&](const char* kind, int code, const TensorSpec& spec) {
    const auto mutate = [=](CallArguments& a) {
      in_list ? a.Tensors(index, std::vector<TensorSpec>(size, spec)) : a.Tensor(index, spec);
    };
    cases.push_back({std::string(kind) + "/" + parameter.name, mutate, {}, code});
  };
  if (mask != 0) {
    TensorSpec other = good;
    other.dtype = DTypeOutside(mask);
    add("dtype", kAclnnInvalid, other);
  }
  // Weights may have been prepared for the matrix unit.
  const bool prepared = (parameter.formats >> ACL_FORMAT_FRACTAL_NZ & 1) != 0;
  TensorSpec blocked = good;
  blocked.format = prepared ? ACL_FORMAT_NC1HWC0 : ACL_FORMAT_FRACTAL_NZ;
  add("format", kAclnnInvalid, blocked);
  TensorSpec too_many = good;
  too_many.shape.assign(static_cast<size_t>(parameter.max_rank) + 1, 1);
  add("rank", contract_.rank_code, too_many);
  if (parameter.max_rank > 0) {
    TensorSpec far = good;
    far.shape.assign(static_cast<size_t>(std::max(1, parameter.min_rank)), 2);
    far.stride.assign(far.shape.size(), INT64_MAX);
    add("extent", kAclnnInvalid, far);
  }
  if (contract::IsWritten(parameter.role)) AddOverlap(index, cases);
}

// The tensor of the valid call, expanded from one element along one dimension.
void ContractChecks::AddOverlap(int index, std::vector<RuleCase>& cases) {
  const contract::Parameter& parameter = contract_.At(index);
  CallArguments valid(contract_.parameters.size());
  fill_(valid);
  std::vector<TensorSpec> specs = valid.Specs(index);
  for (TensorSpec& spec : specs) {
    const auto longer = std::find_if(spec.shape.begin(), spec.shape.end(),
                                     [](int64_t extent) { return extent > 1; });
    if (longer == spec.shape.end() || std::ranges::count(spec.shape, 0) != 0) continue;
    if (spec.stride.empty()) spec.stride = ContiguousStrides(spec.shape);
    spec.stride[static_cast<size_t>(longer - spec.shape.begin())] = 0;
    const bool in_list = parameter.kind == Kind::kTensorList;
    const auto mutate = [=](CallArguments& a) {
      in_list ? a.Tensors(index, specs) : a.Tensor(index, spec);
    };
    cases.push_back({std::string("overlap/") + parameter.name, mutate, {}, kAclnnInvalid});
    return;
  }
}

void ContractChecks::ExpectResultPointers() {
  for (const char* name : {"workspaceSize", "executor"}) {
    SCOPED_TRACE(name);
    CallArguments arguments(contract_.parameters.size());
    fill_(arguments);
    (void)aclGetRecentErrMsg();
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const bool no_size = std::string_view(name) == "workspaceSize";
    EXPECT_EQ(phase1_(arguments, no_size ? nullptr : &size, no_size ? &executor : nullptr),
              kAclnnNullptr);
    const RuleMessage message(aclGetRecentErrMsg());
    message.ExpectWhole(Function(), Id("null", name), kAclnnNullptr);
    EXPECT_TRUE(message.Names(name)) << message.what();
  }
}

std::string ContractChecks::Id(const char* kind, const std::string& name) const {
  return std::string(contract_.folder) + "/" + kind + "/" + name;
}

ContractChecks::Refusal ContractChecks::Refused(const Mutation& mutate) {
  CallArguments arguments(contract_.parameters.size());
  fill_(arguments);
  mutate(arguments);
  (void)aclGetRecentErrMsg();
  uint64_t size = 77;
  auto* const untouched = reinterpret_cast<aclOpExecutor*>(uintptr_t{0x55});
  aclOpExecutor* executor = untouched;
  const int code = phase1_(arguments, &size, &executor);
  EXPECT_NE(code, 0) << "accepted";
  EXPECT_TRUE(executor == untouched || executor == nullptr);
  RuleMessage message(aclGetRecentErrMsg());
  for (size_t i = 0; i < contract_.parameters.size(); ++i) {
    const contract::Parameter& parameter = contract_.parameters[i];
    if (IsWordOfMessages(parameter.name) || !message.Names(parameter.name)) continue;
    EXPECT_TRUE(message.ShowsOneOf(ValueTexts(parameter.kind, arguments.At(static_cast<int>(i)))))
        << "no value of " << parameter.name << " in: " << message.what();
  }
  return {code, message};
}

RuleMessage ContractChecks::Violate(const std::string& rule, int code, const Mutation& mutate) {
  SCOPED_TRACE(rule);
  covered_.insert(rule);
  const Refusal refusal = Refused(mutate);
  EXPECT_EQ(refusal.code, code);
  refusal.message.ExpectWhole(Function(), rule, code);
  return refusal.message;
}

void ContractChecks::ExpectNames(const contract::OwnRule& own, const RuleMessage& message,
                                 const std::optional<std::set<std::string>>& related) const {
  const std::set<std::string> names = related ? *related : RelatedArguments(own);
  const bool is_data = own.rule == nullptr || own.rule->kind != contract::RuleKind::kCustom;
  if (related || is_data || naming_ == Naming::kEach) {
    for (const std::string& name : names) {
      EXPECT_TRUE(message.Names(name)) << name << " is missing from: " << message.what();
    }
    return;
  }
  size_t named = 0;
  for (const contract::Parameter& parameter : contract_.parameters) {
    if (message.Names(parameter.name)) ++named;
  }
  EXPECT_GE(named, std::min<size_t>(2, names.size())) << message.what();
}

std::set<std::string> ContractChecks::RelatedArguments(const contract::OwnRule& own) const {
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

}  // namespace aclimb::testing
