#pragma once

#include <array>
#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/reduced.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "arg_reduce_headers.h"

// The contracts of the rows: k<Name>Contract.
namespace aclimb::arg_reduce {

// Parameter positions.
enum : int { kSelf, kDim, kKeepDim, kOut, kIndices };

inline constexpr auto kNumbers =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kSomeNumbers = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kInt32, DType::kInt64, DType::kBool);
inline constexpr auto kPlaces = contract::OnAll(contract::DTypes(DType::kInt32, DType::kInt64));
// The new chips cast places to whatever is asked for.
inline constexpr auto kAnyPlaces = contract::OnOldAndNew(
    contract::DTypes(DType::kInt32, DType::kInt64),
    contract::DTypes(DType::kBool, DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt16,
                     DType::kUInt8, DType::kInt32, DType::kInt64, DType::kFloat64,
                     DType::kBFloat16));

inline std::optional<std::string> Nothing(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const auto reduced = contract::ReducedDimensions(arguments, kSelf, kDim);
  for (int d = 0; d < self.rank(); ++d) {
    if (!contract::Has(reduced, d) || self.shape[static_cast<size_t>(d)] != 0) continue;
    return Cat("self.shape is ", ShapeText(self.shape.data(), self.shape.size()), " and dim is ",
               arguments.Integer(kDim), "; expected at least one element along the dimension.");
  }
  return std::nullopt;
}

inline constexpr contract::Rule kDimInRange =
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "name a dimension of self");
inline constexpr contract::Rule kShape =
    contract::Reduces("shape/out", kOut, kSelf, kDim, kKeepDim);
inline constexpr contract::Rule kSome =
    contract::Custom("some/self", &Nothing, "self has elements along dim to choose from",
                     "leave out tensors without elements");
inline constexpr contract::Rule kArgRules[] = {kDimInRange, kShape, kSome};
inline constexpr contract::Rule kBestRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf,
                        "allocate the output with the dtype of the input"),
    kDimInRange, kShape, contract::Reduces("shape/indices", kIndices, kSelf, kDim, kKeepDim),
    kSome};

inline constexpr contract::Parameter kDimParameter = contract::Attribute(
    "dim", contract::Kind::kInteger, "the dimension along which elements are compared");
inline constexpr contract::Parameter kKeepParameter =
    contract::Attribute("keepdim", contract::Kind::kBool, "whether the dimension is kept, as 1");
inline constexpr contract::Parameter kIndicesParameter =
    contract::Output("indices", kAnyPlaces, "places along dim, from 0");

inline constexpr contract::Parameter kArgParameters[] = {
    contract::Input("self", kNumbers, "any shape"), kDimParameter, kKeepParameter,
    contract::Output("out", kPlaces, "places along dim, from 0")};
inline constexpr contract::Parameter kBestParameters[] = {
    contract::WithRank(contract::Input("self", kSomeNumbers, "any shape"), 1, 8), kDimParameter,
    kKeepParameter, contract::Output("out", kSomeNumbers, "what is left of self"),
    kIndicesParameter};

#define ACLIMB_CONTRACT(name, Name, parameter_set, rule_set, sentence)                  \
  inline constexpr contract::Contract k##Name##Contract = {.function = "aclnn" #Name,   \
                                                           .folder = #name,             \
                                                           .summary = sentence,         \
                                                           .parameters = parameter_set, \
                                                           .rules = rule_set};          \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_ARG(name, Name, header, fold, sentence) \
  ACLIMB_CONTRACT(name, Name, kArgParameters, kArgRules, sentence)
#define ACLIMB_BEST(name, Name, header, fold, sentence) \
  ACLIMB_CONTRACT(name, Name, kBestParameters, kBestRules, sentence)
#include "aclimb/ops/arg_reduce/rows.inc"
#undef ACLIMB_ARG
#undef ACLIMB_BEST
#undef ACLIMB_CONTRACT

}  // namespace aclimb::arg_reduce
