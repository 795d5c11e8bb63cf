#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_tril.h"
#include "aclnnop/aclnn_triu.h"

// Matrices of which one triangle becomes 0.
namespace aclimb::triangles {

enum : int { kSelf, kDiagonal, kOut };

// The old chips lack BFLOAT16.
inline constexpr auto kTypes = contract::OnOldAndNew(
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16,
                     DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32,
                     DType::kUInt64, DType::kBool),
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16,
                     DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32,
                     DType::kUInt64, DType::kBool, DType::kBFloat16));

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::Input("self", kTypes, "matrices"), 2, 8),
    contract::Attribute("diagonal", contract::Kind::kInteger, "0 is the main one, 1 the one above"),
    contract::MayBe(contract::WithRank(contract::Output("out", kTypes, "shape of self"), 2, 8),
                    kSelf)};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};
inline constexpr contract::Parameter kInPlaceParameters[] = {
    contract::WithRank(contract::InOut("selfRef", kTypes, "matrices"), 2, 8),
    contract::Attribute("diagonal", contract::Kind::kInteger,
                        "0 is the main one, 1 the one above")};

inline constexpr contract::Contract kTril = {
    .function = "aclnnTril",
    .folder = "tril",
    .summary = "The lower triangle: out[i, j] = self[i, j] where j <= i + diagonal, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
inline constexpr contract::Contract kTriu = {
    .function = "aclnnTriu",
    .folder = "triu",
    .summary = "The upper triangle: out[i, j] = self[i, j] where j >= i + diagonal, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
inline constexpr contract::Contract kInplaceTril = {
    .function = "aclnnInplaceTril",
    .folder = "inplace_tril",
    .summary = "The lower triangle, in place: selfRef[i, j] = 0 where j > i + diagonal.",
    .parameters = kInPlaceParameters,
    .rules = {},
};
inline constexpr contract::Contract kInplaceTriu = {
    .function = "aclnnInplaceTriu",
    .folder = "inplace_triu",
    .summary = "The upper triangle, in place: selfRef[i, j] = 0 where j < i + diagonal.",
    .parameters = kInPlaceParameters,
    .rules = {},
};
static_assert(contract::Matches<decltype(aclnnTrilGetWorkspaceSize)>(kTril));
static_assert(contract::Matches<decltype(aclnnTriuGetWorkspaceSize)>(kTriu));
static_assert(contract::Matches<decltype(aclnnInplaceTrilGetWorkspaceSize)>(kInplaceTril));
static_assert(contract::Matches<decltype(aclnnInplaceTriuGetWorkspaceSize)>(kInplaceTriu));

}  // namespace aclimb::triangles
