#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/cumulate/contract.h"
#include "aclnnop/aclnn_cummax.h"
#include "aclnnop/aclnn_cummin.h"

// The greatest or the least of all elements so far, and where it is.
namespace aclimb::cumulate {

// Self and dim are where the sums have theirs.
struct Extremes {
  enum : int { kValues = kDim + 1, kIndices };
};

inline constexpr auto kOrdered =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);

inline constexpr contract::Parameter kExtremeParameters[] = {
    contract::Input("self", kOrdered, "any shape"),
    contract::Attribute("dim", contract::Kind::kInteger,
                        "the dimension along which elements are compared"),
    contract::Output("valuesOut", kOrdered, "shape and dtype of self: the best so far"),
    contract::Output("indicesOut", contract::OnAll(contract::DTypes(DType::kInt32, DType::kInt64)),
                     "shape of self: where the best is, the last one of equals")};
inline constexpr contract::Rule kExtremeRules[] = {
    contract::SameDType("same-dtype/valuesOut", Extremes::kValues, kSelf,
                        "allocate valuesOut with the dtype of self"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "name a dimension of self"),
    contract::SameShape("same-shape/valuesOut", Extremes::kValues, kSelf,
                        "allocate valuesOut with the shape of self"),
    contract::SameShape("same-shape/indicesOut", Extremes::kIndices, kSelf,
                        "allocate indicesOut with the shape of self")};

inline constexpr contract::Contract kCummaxContract = {
    .function = "aclnnCummax",
    .folder = "cummax",
    .summary = "Cumulative maxima along a dimension, and their indices.",
    .parameters = kExtremeParameters,
    .rules = kExtremeRules};
static_assert(contract::Matches<decltype(aclnnCummaxGetWorkspaceSize)>(kCummaxContract));

inline constexpr contract::Contract kCumminContract = {
    .function = "aclnnCummin",
    .folder = "cummin",
    .summary = "Cumulative minima along a dimension, and their indices.",
    .parameters = kExtremeParameters,
    .rules = kExtremeRules};
static_assert(contract::Matches<decltype(aclnnCumminGetWorkspaceSize)>(kCumminContract));

}  // namespace aclimb::cumulate
