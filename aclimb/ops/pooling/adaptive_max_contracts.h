#pragma once

#include "aclimb/ops/pooling/adaptive_contracts.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"

// Contracts of the operators that take the largest of windows that share planes, or volumes,
// equally.
namespace aclimb::pooling {

namespace adaptive_max {

enum : int { kSelf, kOutputSize, kOutputOut, kIndicesOut };

template <size_t kDims>
inline constexpr Places kPlaces = {
    .self = {kSelf, "self"}, .pooled = {kOutputOut, "outputOut"}, .dims = kDims};

// Planes are in more dtypes, and on more chips, than volumes and gradients are.
template <size_t kDims>
inline constexpr uint8_t kProducts = kDims == 2 ? kAllProducts & ~Bit(Product::kInference310P)
                                                : kNewProducts;
inline constexpr auto kPlaneDTypes =
    contract::OnOldAndNew(contract::kHalfDTypes | contract::DTypes(DType::kFloat64),
                          contract::kFloatDTypes | contract::DTypes(DType::kFloat64));
template <size_t kDims>
inline constexpr auto kForwardDTypes = kDims == 2 ? kPlaneDTypes : kNewDTypes;

template <size_t kDims>
inline constexpr contract::Parameter kParameters[] = {
    Shared<kDims>(contract::Input("self", kForwardDTypes<kDims>, contract::kPlanesShape<kDims>)),
    kOutputSizeParameter<kDims>,
    Pooled<kDims>(contract::Output("outputOut", kForwardDTypes<kDims>, "dtype of self")),
    OfRank<kDims>(contract::Output(
        "indicesOut", contract::OnAll(contract::DTypes(kDims == 2 ? DType::kInt64 : DType::kInt32)),
        kDims == 2 ? "shape of outputOut: y * W + x of each maximum"
                   : "shape of outputOut: (z * H + y) * W + x of each maximum")),
};

template <size_t kDims>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/outputOut", kOutputOut, kSelf,
                        "allocate outputOut with the dtype of self"),
    kOutputSizeRules<kDims, kOutputSize>[0],
    kOutputSizeRules<kDims, kOutputSize>[1],
    HasPlanes<kPlaces<kDims>, false>(),
    contract::SameShape("shape/indicesOut", kIndicesOut, kOutputOut,
                        "allocate indicesOut with the shape of outputOut"),
};

template <size_t kDims>
inline constexpr contract::Contract kContract = {
    .function = kDims == 2 ? "aclnnAdaptiveMaxPool2d" : "aclnnAdaptiveMaxPool3d",
    .folder = kDims == 2 ? "adaptive_max_pool2d" : "adaptive_max_pool3d",
    .summary = kDims == 2 ? "Adaptive max pooling in 2 dimensions: the largest element of each "
                            "window, and its index."
                          : "Adaptive max pooling in 3 dimensions: the largest element of each "
                            "window, and its index.",
    .products = kProducts<kDims>,
    .parameters = kParameters<kDims>,
    .rules = kRules<kDims>,
};
static_assert(contract::Matches<decltype(aclnnAdaptiveMaxPool2dGetWorkspaceSize)>(kContract<2>));
static_assert(contract::Matches<decltype(aclnnAdaptiveMaxPool3dGetWorkspaceSize)>(kContract<3>));

}  // namespace adaptive_max

namespace adaptive_max_backward {

enum : int { kGradOutput, kSelf, kIndices, kGradInput };

template <size_t kDims>
inline constexpr Places kPlaces = {
    .self = {kSelf, "self"}, .pooled = {kGradOutput, "gradOutput"}, .dims = kDims};

template <size_t kDims>
inline constexpr contract::Parameter kParameters[] = {
    OfRank<kDims>(contract::Input("gradOutput", kNewDTypes, "gradient of outputOut, of its shape")),
    OfRank<kDims>(contract::Input("self", kNewDTypes, contract::kForwardPlanesShape<kDims>)),
    OfRank<kDims>(contract::Input(
        "indices",
        contract::OnAll(kDims == 2 ? contract::DTypes(DType::kInt64, DType::kInt32)
                                   : contract::DTypes(DType::kInt32)),
        kDims == 2 ? "that the forward call wrote; what is outside of the plane adds nothing"
                   : "that the forward call wrote; what is outside of the volume adds nothing")),
    OfRank<kDims>(contract::Output("gradInput", kNewDTypes, "shape and dtype of self")),
};

template <size_t kDims>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the dtype of self"),
    contract::SameRank("same-rank/gradOutput", kGradOutput, kSelf,
                       "pass what the forward call had"),
    HasPlanes<kPlaces<kDims>, false>(),
    HasPlanesOfSelf<kPlaces<kDims>>(),
    contract::SameShape("shape/indices", kIndices, kGradOutput, "pass what the forward call wrote"),
    contract::SameShape("same-shape/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the shape of self"),
};

template <size_t kDims>
inline constexpr contract::Contract kContract = {
    .function = kDims == 2 ? "aclnnAdaptiveMaxPool2dBackward" : "aclnnAdaptiveMaxPool3dBackward",
    .folder = kDims == 2 ? "adaptive_max_pool2d_backward" : "adaptive_max_pool3d_backward",
    .summary = kDims == 2 ? "Gradient of aclnnAdaptiveMaxPool2d with respect to its input."
                          : "Gradient of aclnnAdaptiveMaxPool3d with respect to its input.",
    .products = kNewProducts,
    .parameters = kParameters<kDims>,
    .rules = kRules<kDims>,
};
static_assert(
    contract::Matches<decltype(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize)>(kContract<2>));
static_assert(
    contract::Matches<decltype(aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize)>(kContract<3>));

}  // namespace adaptive_max_backward

}  // namespace aclimb::pooling
