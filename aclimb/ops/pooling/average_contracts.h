#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/pooling/volumes.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_avgpool3d.h"
#include "aclnnop/aclnn_avgpool3d_backward.h"

// Contracts of the operators that take the mean of each window.
namespace aclimb::pooling {

inline constexpr contract::Parameter kCountIncludePadParameter =
    contract::Attribute("countIncludePad", Kind::kBool,
                        "true: sums are divided by the size of the window, padding included");
inline constexpr contract::Parameter kDivisorParameter = contract::Attribute(
    "divisorOverride", Kind::kInteger, "what sums are divided by instead, unless it is 0");

namespace average {

enum : int {
  kSelf,
  kKernelSize,
  kStrides,
  kPaddings,
  kCeilMode,
  kCountIncludePad,
  kDivisorOverride,
  kCubeMathType,
  kOut
};

inline constexpr Places kPlaces = {.self = {kSelf, "self"},
                                   .pooled = {kOut, "out"},
                                   .kernel = {kKernelSize, "kernelSize"},
                                   .stride = {kStrides, "strides"},
                                   .padding = {kPaddings, "paddings"},
                                   .dilation = {},
                                   .ceil = {kCeilMode, "ceilMode"}};

inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("self", kDTypes, contract::kPlanesShape<2>)),
    contract::Attribute("kernelSize", Kind::kIntArray,
                        "of windows: one number for both dimensions, or two"),
    contract::Attribute("strides", Kind::kIntArray,
                        "from window to window: as kernelSize, or none for that of kernelSize"),
    contract::Attribute("paddings", Kind::kIntArray,
                        "zeros that are put around planes: as kernelSize"),
    kCeilParameter,
    kCountIncludePadParameter,
    kDivisorParameter,
    contract::Attribute("cubeMathType", Kind::kInteger,
                        "0 keep the dtype; 1, 2, 3 allow less precision, which is not used"),
    Planes(contract::Output("out", kDTypes, "a number for each window; dtype of self")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::Count("count/kernelSize", kKernelSize, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    contract::Count("count/strides", kStrides, contract::Between(0, 2),
                    "pass one number for both dimensions, or two, or none"),
    contract::Count("count/paddings", kPaddings, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    KernelInRange(kKernelSize),
    contract::InRange("range/strides", kStrides, kSizes, "pass 1 to take every window"),
    contract::InRange("range/paddings", kPaddings, kFromZero, "pass 0 for none"),
    contract::InRange("cube-math-type", kCubeMathType, contract::Between(0, 3),
                      "pass 0 to keep the dtype"),
    contract::SameRank("same-rank/out", kOut, kSelf, "allocate out with the rank of self"),
    HasPlanes<kPlaces, false>(),
    HalfPadding<kPlaces>("half/paddings", "paddings are half of a window at most, by kernelSize"),
    contract::Custom("shape/out", &OtherPooledShape<kPlaces>,
                     "out has the shape of self with windows in place of H and W: floor((in + 2 * "
                     "paddings - kernelSize) / strides) + 1, with ceilMode the quotient rounded up",
                     kPooledFix),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAvgPool2d",
    .folder = "avg_pool2d",
    .summary = "Average pooling in 2 dimensions: the mean of each window.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnAvgPool2dGetWorkspaceSize)>(kContract));

}  // namespace average

namespace average_backward {

enum : int {
  kGradOutput,
  kSelf,
  kKernelSize,
  kStride,
  kPadding,
  kCeilMode,
  kCountIncludePad,
  kDivisorOverride,
  kCubeMathType,
  kGradInput
};

inline constexpr Places kPlaces = {.self = {kSelf, "self"},
                                   .pooled = {kGradOutput, "gradOutput"},
                                   .kernel = {kKernelSize, "kernelSize"},
                                   .stride = {kStride, "stride"},
                                   .padding = {kPadding, "padding"},
                                   .dilation = {},
                                   .ceil = {kCeilMode, "ceilMode"}};

inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("gradOutput", kDTypes, "gradient of the forward output, of its shape")),
    Planes(contract::Input("self", kDTypes, contract::kForwardPlanesShape<2>)),
    contract::Attribute("kernelSize", Kind::kIntArray, "of the forward call"),
    contract::Attribute("stride", Kind::kIntArray, "of the forward call"),
    contract::Attribute("padding", Kind::kIntArray, "of the forward call"),
    contract::Attribute("ceilMode", Kind::kBool, "of the forward call"),
    contract::Attribute("countIncludePad", Kind::kBool, "of the forward call"),
    contract::Attribute("divisorOverride", Kind::kInteger, "of the forward call"),
    contract::Attribute("cubeMathType", Kind::kInteger,
                        "0 keep the dtype; 1, 2, 3 allow less precision, which is not used"),
    Planes(contract::Output("gradInput", kDTypes, "shape and dtype of self")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the dtype of self"),
    contract::Count("count/kernelSize", kKernelSize, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    contract::Count("count/stride", kStride, contract::Between(0, 2),
                    "pass one number for both dimensions, or two, or none"),
    contract::Count("count/padding", kPadding, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    KernelInRange(kKernelSize),
    StrideInRange(kStride),
    PaddingInRange(kPadding),
    contract::InRange("cube-math-type", kCubeMathType, contract::Between(0, 3),
                      "pass 0 to keep the dtype"),
    contract::SameRank("same-rank/gradOutput", kGradOutput, kSelf,
                       "pass what the forward call had"),
    HasPlanes<kPlaces, false>(),
    HalfPadding<kPlaces>("half/padding", "padding is half of a window at most, by kernelSize"),
    contract::Custom("shape/gradOutput", &OtherPooledShape<kPlaces>,
                     "gradOutput has the shape of the output of the forward call on self",
                     "pass the gradient of that output"),
    contract::SameShape("same-shape/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the shape of self"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAvgPool2dBackward",
    .folder = "avg_pool2d_backward",
    .summary = "Gradient of aclnnAvgPool2d with respect to its input.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnAvgPool2dBackwardGetWorkspaceSize)>(kContract));

}  // namespace average_backward

namespace average3d {

enum : int {
  kSelf,
  kKernelSize,
  kStride,
  kPadding,
  kCeilMode,
  kCountIncludePad,
  kDivisorOverride,
  kOut
};

inline constexpr Places kPlaces = {.self = {kSelf, "self"},
                                   .pooled = {kOut, "out"},
                                   .kernel = {kKernelSize, "kernelSize"},
                                   .stride = {kStride, "stride"},
                                   .padding = {kPadding, "padding"},
                                   .ceil = {kCeilMode, "ceilMode"},
                                   .dims = 3};

inline constexpr contract::Parameter kParameters[] = {
    Volumes(contract::Input("self", kDTypes, contract::kPlanesShape<3>)),
    kVolumeKernelParameter,
    kStrideParameter,
    contract::Attribute("padding", Kind::kIntArray,
                        "zeros that are put around volumes: as kernelSize"),
    kCeilParameter,
    kCountIncludePadParameter,
    kDivisorParameter,
    Volumes(contract::Output("out", kDTypes, "a number for each window; dtype of self")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    kVolumeRules<kPlaces>[0],
    kVolumeRules<kPlaces>[1],
    kVolumeRules<kPlaces>[2],
    contract::SameRank("same-rank/out", kOut, kSelf, "allocate out with the rank of self"),
    kVolumeRules<kPlaces>[3],
    kVolumeRules<kPlaces>[4],
    kVolumeRules<kPlaces>[5],
    kVolumeRules<kPlaces>[6],
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAvgPool3d",
    .folder = "avg_pool3d",
    .summary = "Average pooling in 3 dimensions: the mean of each window.",
    .products = kVolumeMeanProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnAvgPool3dGetWorkspaceSize)>(kContract));

}  // namespace average3d

namespace average3d_backward {

enum : int {
  kGradOutput,
  kSelf,
  kKernelSize,
  kStride,
  kPadding,
  kCeilMode,
  kCountIncludePad,
  kDivisorOverride,
  kOutput
};

inline constexpr Places kPlaces = {.self = {kSelf, "self"},
                                   .pooled = {kGradOutput, "gradOutput"},
                                   .kernel = {kKernelSize, "kernelSize"},
                                   .stride = {kStride, "stride"},
                                   .padding = {kPadding, "padding"},
                                   .ceil = {kCeilMode, "ceilMode"},
                                   .dims = 3};

inline constexpr contract::Parameter kParameters[] = {
    Volumes(
        contract::Input("gradOutput", kNewDTypes, "gradient of the forward output, of its shape")),
    Volumes(contract::Input("self", kNewDTypes, contract::kForwardPlanesShape<3>)),
    contract::Attribute("kernelSize", Kind::kIntArray, "of the forward call"),
    contract::Attribute("stride", Kind::kIntArray, "of the forward call"),
    contract::Attribute("padding", Kind::kIntArray, "of the forward call"),
    contract::Attribute("ceilMode", Kind::kBool, "of the forward call"),
    contract::Attribute("countIncludePad", Kind::kBool, "of the forward call"),
    contract::Attribute("divisorOverride", Kind::kInteger, "of the forward call"),
    Volumes(contract::Output("output", kNewDTypes, "shape and dtype of self")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/output", kOutput, kSelf,
                        "allocate output with the dtype of self"),
    kVolumeRules<kPlaces, kPooledGradientFix>[0],
    kVolumeRules<kPlaces, kPooledGradientFix>[1],
    kVolumeRules<kPlaces, kPooledGradientFix>[2],
    contract::SameRank("same-rank/gradOutput", kGradOutput, kSelf,
                       "pass what the forward call had"),
    kVolumeRules<kPlaces, kPooledGradientFix>[3],
    kVolumeRules<kPlaces, kPooledGradientFix>[4],
    kVolumeRules<kPlaces, kPooledGradientFix>[5],
    kVolumeRules<kPlaces, kPooledGradientFix>[6],
    contract::SameShape("same-shape/output", kOutput, kSelf,
                        "allocate output with the shape of self"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAvgPool3dBackward",
    .folder = "avg_pool3d_backward",
    .summary = "Gradient of aclnnAvgPool3d with respect to its input.",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnAvgPool3dBackwardGetWorkspaceSize)>(kContract));

}  // namespace average3d_backward

}  // namespace aclimb::pooling
