#include "tests/support/dtype_cases.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/contract/promotion.h"
#include "tests/support/case_maker.h"

namespace aclimb::testing {
namespace {

using contract::Kind;
using contract::Rule;
using contract::RuleKind;

class DTypeCases : CaseMaker {
 public:
  using CaseMaker::CaseMaker;

  void OfRule(const Rule& rule) {
    switch (rule.kind) {
      case RuleKind::kSameDType:
      case RuleKind::kSameDTypeOr:
        return OfSameDType(rule);
      case RuleKind::kConvertsTo:
      case RuleKind::kPromotes:
        return OfPromotion(rule);
      case RuleKind::kConvertsToFloat:
        return OfScalar(rule);
      case RuleKind::kScalarFits:
        return OfFittingScalar(rule);
      case RuleKind::kInDType:
        return OfScalarInDType(rule);
      default:  // no rule about dtypes
        return;
    }
  }

 private:
  void OfSameDType(const Rule& rule) {
    if (!Given(rule.subject) || !Given(rule.other)) return;
    const DType other = valid_.Specs(rule.other).front().dtype;
    for (DType dtype : DTypesOf(MaskOf(rule.subject))) {
      if (dtype == other || contract::Has(rule.dtypes, dtype)) continue;
      return Add(rule, WithDType(rule.subject, dtype));
    }
    cases_.without.insert(rule.id);
  }

  // Of tensors those of the mask; scalars may have any.
  std::vector<DType> DTypesAt(int index) {
    if (contract::HasTensors(contract_.At(index).kind)) return DTypesOf(MaskOf(index));
    return {DType::kFloat32, DType::kInt32, DType::kBool, DType::kComplex64};
  }
  std::optional<DType> CommonOf(int x, DType of_x, int y, DType of_y) {
    if (!contract::HasTensors(contract_.At(x).kind)) std::swap(of_x, of_y);
    const bool tensors =
        contract::HasTensors(contract_.At(x).kind) && contract::HasTensors(contract_.At(y).kind);
    return tensors ? contract::PromoteTensors(of_x, of_y)
                   : contract::PromoteTensorAndScalar(of_x, of_y);
  }
  // Whether the dtypes break no other rule.
  bool MayDiffer(int x, int y) {
    return std::ranges::none_of(contract_.rules, [&](const Rule& rule) {
      return rule.kind == RuleKind::kSameDType &&
             ((rule.subject == x && rule.other == y) || (rule.subject == y && rule.other == x));
    });
  }

  // Dtypes of all that the rule relates, each of its mask, that do not go together.
  void OfPromotion(const Rule& rule) {
    const bool to_other = rule.kind == RuleKind::kConvertsTo;
    const int output = to_other ? rule.other : rule.output;
    std::vector<int> inputs = {rule.subject};
    if (!to_other) inputs.push_back(rule.other);
    if (rule.third >= 0) inputs.push_back(rule.third);
    const auto is_scalar = [&](int index) {
      return !contract::HasTensors(contract_.At(index).kind);
    };
    for (int index : inputs) {
      if (is_scalar(index) && contract_.At(index).kind != Kind::kScalar) return;
      if (!Given(index)) return;
    }
    // Of three, a test by hand says which are wrong.
    if (std::ranges::any_of(inputs, is_scalar) && inputs.size() != 2) return;
    if (std::ranges::all_of(inputs, is_scalar)) return;
    if (output >= 0 && !Given(output)) return;
    const int first = inputs[0], second = inputs.size() > 1 ? inputs[1] : first;
    for (DType a : DTypesAt(first)) {
      for (DType b : DTypesAt(second)) {
        if ((first == second || !MayDiffer(first, second)) && a != b) continue;
        const auto common = first != second ? CommonOf(first, a, second, b) : a;
        if (!common) return AddDTypes(rule, inputs, {a, b}, -1, a);
        if (output < 0 || inputs.size() > 2) continue;
        for (DType to : DTypesOf(MaskOf(output))) {
          const bool same = (output == first && to != a) || (output == second && to != b) ||
                            (to != a && !MayDiffer(output, first)) ||
                            (to != b && !MayDiffer(output, second));
          if (!same && !contract::ResultConverts(*common, to)) {
            return AddDTypes(rule, inputs, {a, b}, output, to);
          }
        }
      }
    }
    cases_.without.insert(rule.id);
  }

  Mutation WithAnyDType(int index, DType dtype) {
    if (contract::HasTensors(contract_.At(index).kind)) return WithDType(index, dtype);
    return [=](CallArguments& a) { a.ScalarOf(index, 1, dtype); };
  }
  void AddDTypes(const Rule& rule, const std::vector<int>& inputs, std::pair<DType, DType> dtypes,
                 int output, DType to) {
    std::vector<Mutation> all = {WithAnyDType(inputs[0], dtypes.first)};
    if (inputs.size() > 1) all.push_back(WithAnyDType(inputs[1], dtypes.second));
    if (output >= 0) all.push_back(WithDType(output, to));
    std::set<std::string> related;
    for (int index : inputs) related.insert(contract_.At(index).name);
    if (output >= 0) related.insert(contract_.At(output).name);
    const auto mutate = [all](CallArguments& a) {
      for (const Mutation& each : all) each(a);
    };
    cases_.violations.push_back({rule.id, mutate, related});
  }

  void OfScalar(const Rule& rule) {
    const int index = rule.subject;
    if (contract_.At(index).kind == Kind::kScalarList) {
      return Add(rule, [index](CallArguments& a) { a.Scalars(index, {1}, DType::kComplex64); });
    }
    Add(rule, [index](CallArguments& a) { a.ScalarOf(index, 1, DType::kComplex64); });
  }

  // One with a fraction beside integers, where the others have them.
  void OfFittingScalar(const Rule& rule) {
    std::vector<Mutation> all;
    for (const int index : {rule.other, rule.third}) {
      if (index < 0) continue;
      if (contract_.At(index).kind == Kind::kScalar) {
        all.push_back([index](CallArguments& a) { a.ScalarOf(index, 1, DType::kInt32); });
      } else if (Given(index) && contract::Has(MaskOf(index), DType::kInt32)) {
        all.push_back(WithDType(index, DType::kInt32));
      } else {
        cases_.without.insert(rule.id);
        return;
      }
    }
    Add(rule, [all, index = rule.subject](CallArguments& a) {
      for (const Mutation& each : all) each(a);
      a.ScalarOf(index, 0.5, DType::kFloat32);
    });
  }

  // One that no integer of 32 bits is, beside tensors of the narrowest integers that they may have;
  // a float beyond all integers where those have 64 bits.
  void OfScalarInDType(const Rule& rule) {
    const bool by_scalar = rule.third == rule.subject;
    std::set<int> tensors;
    for (const int index : {rule.other, rule.third, rule.output}) {
      if (index >= 0 && contract::HasTensors(contract_.At(index).kind)) tensors.insert(index);
    }
    for (const Rule& each : contract_.rules) {
      if (each.kind != RuleKind::kSameDType) continue;
      if (tensors.count(each.subject) != 0 || tensors.count(each.other) != 0) {
        tensors.insert({each.subject, each.other});
      }
    }
    for (const DType dtype : {DType::kInt8, DType::kInt32, DType::kInt64}) {
      const bool is_long = dtype == DType::kInt64;
      std::vector<Mutation> all;
      bool possible = !(is_long && by_scalar);
      for (const int index : tensors) {
        possible = possible && Given(index) && contract::Has(MaskOf(index), dtype);
        if (possible) all.push_back(WithDType(index, dtype));
      }
      if (!possible) continue;
      // With a scalar that has a fraction they would not meet in integers.
      for (const int index : {rule.other, rule.third, rule.output}) {
        if (index < 0 || index == rule.subject || contract_.At(index).kind != Kind::kScalar) {
          continue;
        }
        all.push_back([index](CallArguments& a) { a.ScalarOf(index, 1, DType::kInt32); });
      }
      return Add(rule, [=, index = rule.subject](CallArguments& a) {
        for (const Mutation& each : all) each(a);
        is_long ? a.ScalarOf(index, 1e30, DType::kFloat32) : a.ScalarOf(index, 1e12, DType::kInt64);
      });
    }
    cases_.without.insert(rule.id);
  }
};

}  // namespace

void AddDTypeCases(const contract::Contract& contract, const contract::Rule& rule,
                   CallArguments& valid, RuleCases& cases) {
  DTypeCases(contract, valid, cases).OfRule(rule);
}

}  // namespace aclimb::testing
