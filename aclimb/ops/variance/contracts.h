#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/reduced.h"
#include "aclimb/contract/signature.h"
#include "variance_headers.h"

// The contracts of the rows: k<Name>Contract.
namespace aclimb::variance {

// Parameter positions.
enum : int { kSelf, kDim, kCorrection, kKeepDim, kOut, kMeanOut };

inline constexpr auto kFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);
inline constexpr uint8_t kWithoutInference = kAllProducts & ~Bit(Product::kInference310P);

inline constexpr contract::Rule kDimInRange =
    contract::InRange("range/dim", kDim, contract::DistinctDimensionsOf(kSelf),
                      "name dimensions of self, each once; none means all");
inline constexpr contract::Rule kVarianceRules[] = {
    kDimInRange, contract::Reduces("shape/out", kOut, kSelf, kDim, kKeepDim)};
inline constexpr contract::Rule kMeanReduced =
    contract::Reduces("shape/meanOut", kMeanOut, kSelf, kDim, kKeepDim);

inline constexpr contract::Parameter kSelfParameter = contract::Input("self", kFloats, "any shape");
inline constexpr contract::Parameter kDimParameter = contract::Optional(
    contract::Attribute("dim", contract::Kind::kIntArray,
                        "the dimensions that are reduced; null, or none in it, means all"));
inline constexpr contract::Parameter kKeepParameter = contract::Attribute(
    "keepdim", contract::Kind::kBool, "whether the reduced dimensions are kept, as 1");
template <typename T>
constexpr contract::Parameter CorrectionOf(const char* name) {
  constexpr bool kFlag = std::is_same_v<T, bool>;
  return contract::Attribute(name, kFlag ? contract::Kind::kBool : contract::Kind::kInteger,
                             "what the divisor is less than the number of elements");
}

#define ACLIMB_CONTRACT(name, Name, on, rule_set, sentence)                                   \
  inline constexpr contract::Contract k##Name##Contract = {.function = "aclnn" #Name,         \
                                                           .folder = #name,                   \
                                                           .summary = sentence,               \
                                                           .products = on,                    \
                                                           .parameters = k##Name##Parameters, \
                                                           .rules = rule_set};                \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_VARIANCE(name, Name, header, last, Last, on, finish, sentence)   \
  inline constexpr contract::Parameter k##Name##Parameters[] = {                \
      kSelfParameter, kDimParameter, CorrectionOf<Last>(#last), kKeepParameter, \
      contract::Output("out", kFloats, "what is left of self")};                \
  ACLIMB_CONTRACT(name, Name, on, kVarianceRules, sentence)
#define ACLIMB_VARIANCE_AND_MEAN(name, Name, header, first, finish, sentence)                      \
  inline constexpr contract::Parameter k##Name##Parameters[] = {                                   \
      kSelfParameter,                                                                              \
      kDimParameter,                                                                               \
      CorrectionOf<int64_t>("correction"),                                                         \
      kKeepParameter,                                                                              \
      contract::Output(#first, kFloats, "what is left of self"),                                   \
      contract::Output("meanOut", kFloats, "what is left of self")};                               \
  inline constexpr contract::Rule k##Name##Rules[] = {                                             \
      kDimInRange, contract::Reduces("shape/" #first, kOut, kSelf, kDim, kKeepDim), kMeanReduced}; \
  ACLIMB_CONTRACT(name, Name, kWithoutInference, k##Name##Rules, sentence)
#include "aclimb/ops/variance/rows.inc"
#undef ACLIMB_VARIANCE
#undef ACLIMB_VARIANCE_AND_MEAN
#undef ACLIMB_CONTRACT

}  // namespace aclimb::variance
