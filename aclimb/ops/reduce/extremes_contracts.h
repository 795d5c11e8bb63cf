#pragma once

#include "aclimb/ops/reduce/contracts.h"
#include "aclnnop/aclnn_aminmax.h"
#include "aclnnop/aclnn_aminmax_all.h"
#include "aclnnop/aclnn_aminmax_dim.h"

// The least and the greatest element in one call.
namespace aclimb::reduce {

// Parameter positions: of f(self, dim, keepDim, minOut, maxOut) and f(self, minOut, maxOut).
struct Both {
  enum : int { kMinOut = 3, kMaxOut };
};
struct BothOfAll {
  enum : int { kMinOut = 1, kMaxOut };
};

template <typename At>
inline constexpr contract::Rule kSameAsSelf[] = {
    contract::SameDType("same-dtype/minOut", At::kMinOut, kSelf,
                        "allocate the outputs with the dtype of the input"),
    contract::SameDType("same-dtype/maxOut", At::kMaxOut, kSelf,
                        "allocate the outputs with the dtype of the input")};
inline constexpr contract::Parameter kMinOutput =
    contract::Output("minOut", kNumbersAndBool, "the least; NaN if one is among them");
inline constexpr contract::Parameter kMaxOutput =
    contract::Output("maxOut", kNumbersAndBool, "the greatest; NaN if one is among them");
inline constexpr contract::Rule kSomeOverDims =
    contract::Custom("some/self", &Nothing<kDims>, "self has elements to choose from", kFixNothing);
inline constexpr contract::Rule kMinReduced =
    contract::Reduces("shape/minOut", Both::kMinOut, kSelf, kDims, kKeep);
inline constexpr contract::Rule kMaxReduced =
    contract::Reduces("shape/maxOut", Both::kMaxOut, kSelf, kDims, kKeep);

namespace aminmax {
inline constexpr contract::Parameter kParameters[] = {SelfOf(kNumbersAndBool), DimsOf("dim"),
                                                      KeepOf("keepDim"), kMinOutput, kMaxOutput};
inline constexpr contract::Rule kRules[] = {kSameAsSelf<Both>[0], kSameAsSelf<Both>[1],
                                            kDimsInRange,         kMinReduced,
                                            kMaxReduced,          kSomeOverDims};
inline constexpr contract::Contract kContract = {
    .function = "aclnnAminmax",
    .folder = "aminmax",
    .summary = "The least and the greatest elements along dimensions.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnAminmaxGetWorkspaceSize)>(kContract));
}  // namespace aminmax

namespace aminmax_dim {
inline constexpr contract::Parameter kParameters[] = {
    SelfOf(kNumbersAndBool),
    contract::Attribute("dim", contract::Kind::kInteger, "the dimension that is reduced"),
    KeepOf("keepDim"), kMinOutput, kMaxOutput};
inline constexpr contract::Rule kRules[] = {
    kSameAsSelf<Both>[0],
    kSameAsSelf<Both>[1],
    contract::InRange("range/dim", kDims, contract::DimensionOf(kSelf), "name a dimension of self"),
    kMinReduced,
    kMaxReduced,
    kSomeOverDims};
inline constexpr contract::Contract kContract = {
    .function = "aclnnAminmaxDim",
    .folder = "aminmax_dim",
    .summary = "The least and the greatest elements along a dimension.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnAminmaxDimGetWorkspaceSize)>(kContract));
}  // namespace aminmax_dim

namespace aminmax_all {
inline constexpr contract::Parameter kParameters[] = {SelfOf(kNumbersAndBool),
                                                      contract::WithRank(kMinOutput, 0, 1),
                                                      contract::WithRank(kMaxOutput, 0, 1)};
inline constexpr contract::Rule kRules[] = {
    kSameAsSelf<BothOfAll>[0], kSameAsSelf<BothOfAll>[1],
    contract::Reduces("shape/minOut", BothOfAll::kMinOut, kSelf, -1, -1),
    contract::Reduces("shape/maxOut", BothOfAll::kMaxOut, kSelf, -1, -1),
    contract::Custom("some/self", &Nothing<-1>, "self has elements to choose from", kFixNothing)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnAminmaxAll",
    .folder = "aminmax_all",
    .summary = "The least and the greatest of all elements.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnAminmaxAllGetWorkspaceSize)>(kContract));
}  // namespace aminmax_all

}  // namespace aclimb::reduce
