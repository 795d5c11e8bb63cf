#pragma once

#include <array>
#include <span>

#include "aclimb/contract/contract.h"

// What the contracts of this folder are made of.
namespace aclimb::pointwise {

using contract::Attribute;
using contract::Input;
using contract::Kind;
using contract::LeftAlone;
using contract::MayBe;
using contract::Optional;
using contract::Output;
using contract::Parameter;
using contract::Rule;

inline constexpr auto kFloats = contract::AndBFloat16(DType::kFloat32, DType::kFloat16);
inline constexpr auto kAllFloats =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64);
inline constexpr auto kNumbers =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kNumbersWithoutDouble =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt16,
                          DType::kInt32, DType::kInt64, DType::kUInt8);

inline constexpr auto kAddcmulTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kAddcdivTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt64);
inline constexpr auto kMaskedFillTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt32, DType::kInt64, DType::kBool);
inline constexpr auto kWhereTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr auto kThresholdGradientTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt32, DType::kUInt8);
inline constexpr auto kRoundTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt32, DType::kInt64);
inline constexpr auto kNanToNumTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt16,
                          DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr auto kMask = contract::OnAll(contract::DTypes(DType::kBool));
inline constexpr auto kConditions = contract::OnAll(contract::DTypes(DType::kBool, DType::kUInt8));

constexpr Parameter Scalar(const char* name, const char* doc) {
  return Attribute(name, Kind::kScalar, doc);
}
constexpr Rule IsReal(const char* id, int scalar) {
  return contract::ConvertsToFloat(id, scalar, "pass a real scalar");
}
constexpr Rule IsInDType(const char* id, int scalar, int tensor) {
  return contract::InDType(id, scalar, tensor, "pass a number that the dtype of the tensor has");
}
// A bound with a fraction, or an infinite one, bounds integers too.
constexpr Rule IsBoundInDType(const char* id, int scalar, int tensor) {
  return contract::InDType(id, scalar, tensor, scalar,
                           "pass a bound that the dtype of the tensor has");
}
constexpr Rule HasShape(const char* id, int tensor, int other) {
  return contract::SameShape(id, tensor, other, "create the tensors with one shape");
}
constexpr Rule HasDType(const char* id, int tensor, int other) {
  return contract::SameDType(id, tensor, other, "create the tensors with one dtype");
}

inline constexpr const char* kAllocate =
    "allocate the output with the shape that they broadcast to";
inline constexpr const char* kFits = "pass tensors that broadcast to the shape of the first one";
inline constexpr const char* kConvert =
    "convert the tensors to dtypes that promote to the output's";

// Of the twin that works in place: the first one is the output too, and the last one is missing.
template <size_t N>
constexpr std::array<Parameter, N - 1> InPlace(const Parameter (&parameters)[N],
                                               const char* name = "selfRef") {
  std::array<Parameter, N - 1> twin;
  for (size_t i = 0; i + 1 < N; ++i) twin[i] = parameters[i];
  twin[0].name = name;
  twin[0].role = contract::Role::kInOut;
  twin[0].may_be = parameters[N - 1].may_be & ~uint64_t{1};
  return twin;
}

// Those that say nothing of the output.
template <size_t N>
constexpr std::span<const Rule> First(const Rule (&rules)[N], size_t count) {
  return std::span<const Rule>(rules).first(count);
}

}  // namespace aclimb::pointwise
