#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "binary_headers.h"

// The contracts of the rows: k<Name>Contract, and kInplace<Name>Contract of the twins. Kinds and
// roles of the parameters come from the functions' types.
namespace aclimb::binary {

inline constexpr auto kAllFloats =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64);
inline constexpr auto kNumbers =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr auto kNumbersWithoutBool =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kFmodTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kRemainderTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt32, DType::kInt64);
inline constexpr auto kWhole = contract::OnAll(contract::DTypes(
    DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool));

// What becomes of a result: the operands' common dtype converts to the output's, or it is true or
// false, which every dtype can hold. Bits are those of integers.
enum Outcome { kConverts, kTests, kBits };

// "(self, other, out)" as texts of their own.
template <size_t kSize>
struct Names {
  char text[kSize] = {};
  size_t begin[8] = {};

  constexpr explicit Names(const char (&list)[kSize]) {
    size_t count = 0;
    for (size_t i = 0; i < kSize; ++i) {
      const bool is_name = list[i] != '(' && list[i] != ')' && list[i] != ',' && list[i] != ' ';
      text[i] = is_name ? list[i] : '\0';
      if (is_name && i > 0 && text[i - 1] == '\0' && list[i] != '\0') begin[count++] = i;
    }
  }
  constexpr const char* operator[](size_t i) const { return text + begin[i]; }
};

constexpr contract::Kind KindOf(const aclTensor*) { return contract::Kind::kTensor; }
constexpr contract::Kind KindOf(const aclScalar*) { return contract::Kind::kScalar; }
constexpr contract::Kind KindOf(int) { return contract::Kind::kInteger; }
constexpr contract::Kind KindOf(uint64_t*) { return contract::Kind::kInteger; }
constexpr contract::Kind KindOf(aclOpExecutor**) { return contract::Kind::kInteger; }

template <typename Function>
struct Signature;
template <typename... P>
struct Signature<aclnnStatus(P...)> {
  static constexpr size_t kCount = sizeof...(P) - 2;
  static constexpr std::array<contract::Kind, sizeof...(P)> kKinds = {KindOf(P())...};
  // 0 and 1 are the operands; then may come what else the operation takes.
  static constexpr bool kTwoTensors =
      kKinds[0] == contract::Kind::kTensor && kKinds[1] == contract::Kind::kTensor;
  static constexpr int kTensor = kKinds[0] == contract::Kind::kTensor ? 0 : 1;
};

template <typename Function, bool kInPlace>
inline constexpr int kOutputOf = kInPlace ? 0 : static_cast<int>(Signature<Function>::kCount) - 1;
template <typename Function, bool kInPlace>
inline constexpr bool kHasThird = Signature<Function>::kCount == (kInPlace ? 3 : 4);

template <typename Function, bool kInPlace, size_t kSize>
constexpr auto ParametersOf(const Names<kSize>& names, contract::ProductDTypes inputs,
                            contract::ProductDTypes outputs) {
  using Of = Signature<Function>;
  std::array<contract::Parameter, Of::kCount> parameters;
  for (size_t p = 0; p < Of::kCount; ++p) {
    const bool is_output = p == static_cast<size_t>(kOutputOf<Function, kInPlace>);
    if (is_output && kInPlace) {
      parameters[p] = contract::InOut(names[p], inputs, "any shape; gets the result");
    } else if (is_output) {
      parameters[p] = contract::Output(
          names[p], outputs,
          Of::kTwoTensors ? "what the operands broadcast to" : "the tensor's shape");
    } else if (Of::kKinds[p] == contract::Kind::kTensor) {
      parameters[p] = contract::Input(names[p], inputs,
                                      !Of::kTwoTensors ? "any shape"
                                      : kInPlace       ? "broadcasts to the shape of the other"
                                                       : "broadcasts with the other operand");
    } else {
      const char* const doc = p < 2                                      ? "the same for all"
                              : Of::kKinds[p] == contract::Kind::kScalar ? "factor of other"
                                                                         : "0, 1 or 2";
      parameters[p] = contract::Attribute(names[p], Of::kKinds[p], doc);
    }
  }
  contract::Parameter& output = parameters[kOutputOf<Function, kInPlace>];
  for (int p = 0; p < 2; ++p) {
    const contract::Parameter& operand = parameters[static_cast<size_t>(p)];
    if (operand.role == contract::Role::kInput) output.may_be |= uint64_t{1} << p;
  }
  return parameters;
}

struct RuleList {
  std::array<contract::Rule, 4> rules = {};
  size_t count = 0;

  constexpr void Add(const contract::Rule& rule) { rules[count++] = rule; }
};

template <typename Function, bool kInPlace, Outcome kOutcome>
constexpr RuleList RulesOf() {
  using Of = Signature<Function>;
  constexpr int kOutput = kOutputOf<Function, kInPlace>;
  RuleList list;
  if (kOutcome == kTests) {
    list.Add(contract::Promotes("promotes/operands", 0, 1, "convert one of the operands"));
    if (Of::kKinds[1] == contract::Kind::kScalar) {
      list.Add(contract::ConvertsToFloat("real/scalar", 1, "pass a scalar of a real dtype"));
    }
  } else {
    list.Add(contract::Promotes(
        "promotes/result", 0, 1, kOutput,
        kInPlace
            ? "convert one of the two, or call the function that has an output"
            : "create the output with the common dtype or a wider one, or convert an operand"));
  }
  // In place a fraction does not convert to the result.
  if (kOutcome == kBits && !Of::kTwoTensors && !kInPlace) {
    list.Add(contract::ScalarFits("fits/other", 1, 0, "pass other as an integer"));
  }
  if (Of::kTwoTensors) {
    list.Add(contract::Broadcasts(
        "broadcast/result", kOutput, 0, 1,
        kInPlace ? "call the function that has an output" : "create the output with that shape"));
  } else if (!kInPlace) {
    list.Add(contract::SameShape("same-shape/result", kOutput, Of::kTensor,
                                 "create the output with the tensor's shape"));
  }
  if (kHasThird<Function, kInPlace> && Of::kKinds[2] == contract::Kind::kScalar) {
    list.Add(contract::ScalarFits("fits/alpha", 2, 0, 1, "pass alpha as an integer"));
    list.Add(contract::InDType("in-dtype/alpha", 2, 0, 1, "convert the operands to a wider dtype"));
  } else if (kHasThird<Function, kInPlace>) {
    list.Add(contract::InRange("range/mode", 2, contract::Between(0, 2),
                               "pass 0 for the quotient, 1 to cut it, 2 to round it down"));
  }
  return list;
}

template <typename Function, bool kInPlace, Outcome kOutcome>
inline constexpr RuleList kRulesOf = RulesOf<Function, kInPlace, kOutcome>();

#define ACLIMB_BINARY_CONTRACT(Name, folder_name, Phase2, in_place, arguments, inputs, outputs,    \
                               result, sentence)                                                   \
  inline constexpr Names k##Name##Names(#arguments);                                               \
  inline constexpr auto k##Name##Parameters =                                                      \
      ParametersOf<decltype(Phase2##GetWorkspaceSize), in_place>(k##Name##Names, inputs, outputs); \
  inline constexpr contract::Contract k##Name##Contract = {                                        \
      .function = #Phase2,                                                                         \
      .folder = folder_name,                                                                       \
      .summary = sentence,                                                                         \
      .parameters = k##Name##Parameters,                                                           \
      .rules =                                                                                     \
          std::span(kRulesOf<decltype(Phase2##GetWorkspaceSize), in_place, result>.rules.data(),   \
                    kRulesOf<decltype(Phase2##GetWorkspaceSize), in_place, result>.count)};        \
  static_assert(contract::Matches<decltype(Phase2##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_BINARY(name, Name, header, parameters, arguments, operation, inputs, outputs,  \
                      result, sentence)                                                       \
  ACLIMB_BINARY_CONTRACT(Name, #name, aclnn##Name, false, arguments, inputs, outputs, result, \
                         sentence)
#define ACLIMB_BINARY_IN_PLACE(name, Name, header, parameters, arguments, operation, inputs,   \
                               result, sentence)                                               \
  ACLIMB_BINARY_CONTRACT(Inplace##Name, "inplace_" #name, aclnnInplace##Name, true, arguments, \
                         inputs, inputs, result, sentence)
#include "aclimb/ops/binary/rows.inc"
#undef ACLIMB_BINARY
#undef ACLIMB_BINARY_IN_PLACE
#undef ACLIMB_BINARY_CONTRACT

}  // namespace aclimb::binary
