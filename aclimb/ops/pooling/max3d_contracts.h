#pragma once

#include "aclimb/ops/pooling/volumes.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"

// The largest of each window of volumes, and the gradient.
namespace aclimb::pooling::max3d {

inline constexpr auto kIndexTypes = contract::OnAll(contract::DTypes(DType::kInt32));

namespace forward {

inline constexpr Places kPlaces = OfVolumes(pooling::forward::kPlaces);
using enum pooling::forward::Position;

inline constexpr contract::Parameter kParameters[] = {
    Volumes(contract::Input("self", kNewDTypes, contract::kPlanesShape<3>)),
    kVolumeKernelParameter,
    kStrideParameter,
    contract::Attribute("padding", Kind::kIntArray,
                        "what is put around volumes, below all numbers: as kernelSize"),
    kDilationParameter,
    kCeilParameter,
    Volumes(contract::Output("out", kNewDTypes, "a number for each window; dtype of self")),
    Volumes(contract::Output("indices", kIndexTypes,
                             "shape of out: (z * H + y) * W + x of each maximum, -1 where a window "
                             "has no element")),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    kVolumeRules<kPlaces>[0],
    kVolumeRules<kPlaces>[1],
    kVolumeRules<kPlaces>[2],
    DilationInRange(kDilation),
    contract::SameRank("same-rank/out", kOut, kSelf, "allocate out with the rank of self"),
    kVolumeRules<kPlaces>[3],
    kVolumeRules<kPlaces>[4],
    kVolumeRules<kPlaces>[5],
    kVolumeRules<kPlaces>[6],
    contract::SameShape("same-shape/indices", kIndices, kOut,
                        "allocate indices with the shape of out"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMaxPool3dWithArgmax",
    .folder = "max_pool3d_with_argmax",
    .summary =
        "Max pooling in 3 dimensions: the largest element of each window, and its index in the "
        "volume.",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnMaxPool3dWithArgmaxGetWorkspaceSize)>(kContract));

}  // namespace forward

namespace backward {

inline constexpr Places kPlaces = OfVolumes(pooling::backward::kPlaces);
using enum pooling::backward::Position;

inline constexpr contract::Parameter kParameters[] = {
    Volumes(
        contract::Input("gradOutput", kNewDTypes, "gradient of the forward output, of its shape")),
    Volumes(contract::Input("self", kNewDTypes, contract::kForwardPlanesShape<3>)),
    Volumes(contract::Input("indices", kIndexTypes,
                            "that the forward call wrote; what is outside of the volume adds "
                            "nothing")),
    contract::Attribute("kernelSize", Kind::kIntArray, "of the forward call"),
    contract::Attribute("stride", Kind::kIntArray, "of the forward call"),
    contract::Attribute("padding", Kind::kIntArray, "of the forward call"),
    contract::Attribute("dilation", Kind::kIntArray, "of the forward call"),
    contract::Attribute("ceilMode", Kind::kBool, "of the forward call"),
    Volumes(contract::Output("gradInput", kNewDTypes, "shape and dtype of self")),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the dtype of self"),
    kVolumeRules<kPlaces, kPooledGradientFix>[0],
    kVolumeRules<kPlaces, kPooledGradientFix>[1],
    kVolumeRules<kPlaces, kPooledGradientFix>[2],
    DilationInRange(kDilation),
    contract::SameRank("same-rank/gradOutput", kGradOutput, kSelf,
                       "pass a gradient with the rank of self"),
    kVolumeRules<kPlaces, kPooledGradientFix>[3],
    kVolumeRules<kPlaces, kPooledGradientFix>[4],
    kVolumeRules<kPlaces, kPooledGradientFix>[5],
    kVolumeRules<kPlaces, kPooledGradientFix>[6],
    contract::SameShape("same-shape/indices", kIndices, kGradOutput,
                        "pass the indices of the forward call"),
    contract::SameShape("same-shape/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the shape of self"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMaxPool3dWithArgmaxBackward",
    .folder = "max_pool3d_with_argmax_backward",
    .summary = "Gradient of aclnnMaxPool3dWithArgmax with respect to its input.",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules};
static_assert(
    contract::Matches<decltype(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize)>(kContract));

}  // namespace backward

}  // namespace aclimb::pooling::max3d
