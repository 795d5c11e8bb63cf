#pragma once

#include <string_view>

#include "aclimb/contract/contract.h"

// Whether the parts of a contract fit together, for the compiler to say.
namespace aclimb::contract {
namespace well_formed_internal {

// Each name of an attribute in a pattern is one, and there are not more names than the checks hold.
constexpr bool PatternsAre(const Contract& contract) {
  std::string_view names[Contract::kMostNames];
  size_t count = 0;
  for (const Parameter& parameter : contract.parameters) {
    if (!parameter.HasShape()) continue;
    if (!HasTensors(parameter.kind) && parameter.kind != Kind::kIntArray) return false;
    const ShapePattern pattern = parameter.Shape();
    for (const Dimension& each : pattern) {
      if (each.kind == Dimension::Kind::kNumber) continue;
      const int index = contract.IndexOf(each.name);
      if (each.kind == Dimension::Kind::kAttribute || each.kind == Dimension::Kind::kArray) {
        const bool single = each.kind == Dimension::Kind::kAttribute;
        if (index < 0) return false;
        if (contract.At(index).kind != (single ? Kind::kInteger : Kind::kIntArray)) return false;
        continue;
      }
      size_t i = 0;
      while (i < count && names[i] != each.name) ++i;
      if (i < count) continue;
      if (count == Contract::kMostNames) return false;
      names[count++] = each.name;
    }
  }
  return true;
}

// Outputs alone may be other tensors, and those are read, and not written too: one element cannot
// become two results.
constexpr bool TensorsInPlaceAre(const Contract& contract) {
  const int count = static_cast<int>(contract.parameters.size());
  for (const Parameter& output : contract.parameters) {
    if (output.may_be == 0) continue;
    if (!IsWritten(output.role) || output.may_be >> count != 0) return false;
    for (int input = 0; input < count; ++input) {
      if (!output.MayBe(input)) continue;
      if (contract.At(input).role != Role::kInput || contract.At(input).kind != output.kind) {
        return false;
      }
    }
  }
  return true;
}

constexpr bool HasScalars(Kind kind) { return kind == Kind::kScalar || kind == Kind::kScalarList; }
constexpr bool HasNumbers(Kind kind) {
  return kind == Kind::kInteger || kind == Kind::kReal || kind == Kind::kIntArray ||
         kind == Kind::kFloatArray || HasScalars(kind);
}
constexpr bool HasEntries(Kind kind) {
  return kind == Kind::kIntArray || kind == Kind::kFloatArray || kind == Kind::kBoolArray ||
         IsList(kind);
}
constexpr bool HasDType(Kind kind) { return HasTensors(kind) || HasScalars(kind); }

// The kinds of parameter that a rule relates are those that it can look at.
constexpr bool Fits(const Contract& contract, const Rule& rule) {
  const auto is = [&](int index, bool (*suits)(Kind), bool needed) {
    if (index < 0) return !needed;
    return static_cast<size_t>(index) < contract.parameters.size() &&
           suits(contract.At(index).kind);
  };
  const auto is_tensor = [](Kind kind) { return kind == Kind::kTensor; };
  const auto is_flag = [](Kind kind) { return kind == Kind::kBool; };
  switch (rule.kind) {
    case RuleKind::kSameDType:
    case RuleKind::kSameDTypeOr:
    case RuleKind::kConvertsTo:
    case RuleKind::kSameRank:
    case RuleKind::kSameShape:
      return is(rule.subject, &HasTensors, true) && is(rule.other, &HasTensors, true);
    case RuleKind::kPromotes:
      return is(rule.subject, &HasDType, true) && is(rule.other, &HasDType, true) &&
             is(rule.third, &HasDType, false) && is(rule.output, &HasTensors, false);
    case RuleKind::kScalarFits:
    case RuleKind::kInDType:
      return is(
                 rule.subject, [](Kind kind) { return kind == Kind::kScalar; }, true) &&
             is(rule.other, &HasDType, true) && is(rule.third, &HasDType, false) &&
             is(rule.output, &HasDType, false);
    case RuleKind::kBroadcasts:
      return is(rule.subject, is_tensor, true) && is(rule.other, is_tensor, true) &&
             is(rule.third, is_tensor, false) && is(rule.output, is_tensor, true);
    case RuleKind::kNamesDType:
      return is(
                 rule.subject, [](Kind kind) { return kind == Kind::kInteger; }, true) &&
             is(rule.other, is_tensor, true) && is(rule.third, is_tensor, false);
    case RuleKind::kReduces:
      return is(rule.subject, is_tensor, true) && is(rule.other, is_tensor, true) &&
             is(
                 rule.third,
                 [](Kind kind) { return kind == Kind::kInteger || kind == Kind::kIntArray; },
                 false) &&
             is(
                 rule.output, [](Kind kind) { return kind == Kind::kBool; }, false);
    case RuleKind::kConvertsToFloat:
      return is(rule.subject, &HasScalars, true);
    case RuleKind::kInRange:
      return is(rule.subject, &HasNumbers, true) && is(rule.other, &HasTensors, false) &&
             is(rule.third, is_flag, false) &&
             (!rule.bounds.distinct || contract.At(rule.subject).kind == Kind::kIntArray);
    case RuleKind::kOneOf:
      return is(
          rule.subject, [](Kind kind) { return kind == Kind::kString; }, true);
    case RuleKind::kReserved:
      return is(
          rule.subject,
          [](Kind kind) {
            return kind == Kind::kTensor || kind == Kind::kBool || HasNumbers(kind);
          },
          true);
    case RuleKind::kCount:
      return is(rule.subject, &HasEntries, true);
    case RuleKind::kCountOf:
      return is(rule.subject, &HasEntries, true) &&
             is(
                 rule.other, [](Kind kind) { return kind == Kind::kTensor || HasEntries(kind); },
                 true);
    case RuleKind::kWanted:
      return is(rule.subject, &HasTensors, true) &&
             is(
                 rule.other,
                 [](Kind kind) {
                   return kind == Kind::kBoolArray || kind == Kind::kBool ||
                          kind == Kind::kInteger || kind == Kind::kReal;
                 },
                 true);
    case RuleKind::kAbsent:
      for (int i = 0; i < 64; ++i) {
        if (rule.IsAbout(i) && !is(i, &HasTensors, true)) return false;
      }
      return rule.all != 0;
    case RuleKind::kElements:
      for (const int factor : {rule.other, rule.third, rule.output}) {
        if (!is(
                factor, [](Kind kind) { return kind == Kind::kTensor || kind == Kind::kInteger; },
                false)) {
          return false;
        }
      }
      return is(rule.subject, &HasTensors, true);
    case RuleKind::kReducesLoss:
      return is(rule.subject, is_tensor, true) && is(rule.other, is_tensor, true) &&
             is(rule.third, is_tensor, false) &&
             is(
                 rule.output,
                 [](Kind kind) { return kind == Kind::kInteger || kind == Kind::kString; }, true);
    case RuleKind::kCustom:
      break;
  }
  return rule.violated != nullptr;
}

}  // namespace well_formed_internal

constexpr bool IsWellFormed(const Contract& contract) {
  for (const Rule& rule : contract.rules) {
    if (!well_formed_internal::Fits(contract, rule)) return false;
  }
  return well_formed_internal::PatternsAre(contract) &&
         well_formed_internal::TensorsInPlaceAre(contract);
}

}  // namespace aclimb::contract
