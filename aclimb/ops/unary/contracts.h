#pragma once

#include <array>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "unary_headers.h"

// The contracts of the rows: k<Name>Contract, and kInplace<Name>Contract of the twins.
namespace aclimb::unary {

// Parameter positions; a twin has the first alone.
enum : int { kSelf, kOut };

inline constexpr auto kFloats = contract::AndBFloat16(DType::kFloat32, DType::kFloat16);
inline constexpr auto kAllFloats =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64);
inline constexpr auto kFloatsBoolInt64 = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kBool, DType::kInt64);
inline constexpr auto kNumbers =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr auto kNumbersWithoutDouble =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt16,
                          DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr auto kSigned = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt32, DType::kInt64);
inline constexpr auto kReluTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kFloorTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kRoundTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt32, DType::kInt64);
inline constexpr auto kSignTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt32, DType::kInt64, DType::kBool);
inline constexpr auto kWhole = contract::OnAll(contract::DTypes(
    DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool));
inline constexpr auto kBool = contract::OnAll(contract::DTypes(DType::kBool));

inline constexpr contract::Rule kShape[] = {contract::SameShape(
    "same-shape/out", kOut, kSelf, "allocate the output with the shape of the input")};
inline constexpr contract::Rule kSame[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf,
                        "allocate the output with the dtype of the input"),
    kShape[0]};
inline constexpr contract::Rule kCast[] = {
    contract::ConvertsTo("converts/out", kSelf, kOut, "allocate the output with a floating dtype"),
    kShape[0]};

using Pair = std::array<contract::Parameter, 2>;
using One = std::array<contract::Parameter, 1>;

#define ACLIMB_UNARY(name, Name, header, self, out, Out, inputs, outputs, rule_set, sentence) \
  inline constexpr Pair k##Name##Parameters = {                                               \
      contract::Input(#self, inputs, "any shape"),                                            \
      contract::MayBe(contract::Output(#out, outputs, "shape of " #self), kSelf)};            \
  inline constexpr contract::Contract k##Name##Contract = {.function = "aclnn" #Name,         \
                                                           .folder = #name,                   \
                                                           .summary = sentence,               \
                                                           .parameters = k##Name##Parameters, \
                                                           .rules = rule_set};                \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_UNARY_IN_PLACE(name, Name, header, self, Self, inputs, sentence)                    \
  inline constexpr One kInplace##Name##Parameters = {contract::InOut(#self, inputs, "any shape")}; \
  inline constexpr contract::Contract kInplace##Name##Contract = {                                 \
      .function = "aclnnInplace" #Name,                                                            \
      .folder = "inplace_" #name,                                                                  \
      .summary = sentence,                                                                         \
      .parameters = kInplace##Name##Parameters};                                                   \
  static_assert(contract::Matches<decltype(aclnnInplace##Name##GetWorkspaceSize)>(                 \
      kInplace##Name##Contract));
#include "aclimb/ops/unary/rows.inc"
#undef ACLIMB_UNARY
#undef ACLIMB_UNARY_IN_PLACE

}  // namespace aclimb::unary
