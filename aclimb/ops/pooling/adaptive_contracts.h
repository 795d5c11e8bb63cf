#pragma once

#include <algorithm>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/pooling/volumes.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"

// Contracts of the operators that take the mean of windows that share planes, or volumes, equally,
// and what all on such windows have in common: kDims is 2 or 3.
namespace aclimb::pooling {

template <size_t kDims>
constexpr contract::Parameter OfRank(contract::Parameter parameter) {
  return kDims == 2 ? Planes(parameter) : Volumes(parameter);
}

// What windows share, and a number for each of them.
template <size_t kDims>
constexpr contract::Parameter Shared(contract::Parameter parameter) {
  if constexpr (kDims == 2) {
    return OfRank<kDims>(contract::WithShape(parameter, "P... H W"));
  } else {
    return OfRank<kDims>(contract::WithShape(parameter, "P... D H W"));
  }
}
template <size_t kDims>
constexpr contract::Parameter Pooled(contract::Parameter parameter) {
  return OfRank<kDims>(contract::WithShape(parameter, "P... outputSize...", kPooledFix));
}
template <size_t kDims>
inline constexpr contract::Parameter kOutputSizeParameter = contract::Attribute(
    "outputSize", Kind::kIntArray,
    kDims == 2 ? "how many windows share H, and how many W" : "how many windows share D, H and W");

template <size_t kDims, int kOutputSize>
inline constexpr contract::Rule kOutputSizeRules[] = {
    contract::Count(
        "count/outputSize", kOutputSize, contract::Exactly(kDims),
        kDims == 2 ? "pass a number for H and one for W" : "pass a number for each of D, H and W"),
    contract::InRange("range/outputSize", kOutputSize, kFromZero, "pass 0 or more"),
};

template <const Places& kPlaces>
Finding OtherPlanes(const Arguments& arguments) {
  const TensorDescriptor& grad = arguments.Tensor(kPlaces.pooled.at);
  const TensorDescriptor& self = arguments.Tensor(kPlaces.self.at);
  const auto last = static_cast<std::ptrdiff_t>(kPlaces.dims);
  if (std::equal(self.shape.begin(), self.shape.end() - last, grad.shape.begin()) &&
      std::all_of(grad.shape.end() - last, grad.shape.end(),
                  [](int64_t windows) { return windows <= kMost; })) {
    return std::nullopt;
  }
  return Cat("gradOutput.shape is ", contract::ShapeText(grad), " and self.shape is ",
             contract::ShapeText(self), "; expected the same N and C, and ", kMost,
             " windows at most along ", kPlaces.dims == 2 ? "H and W." : "D, H and W.");
}
template <const Places& kPlaces>
constexpr contract::Rule HasPlanesOfSelf() {
  return contract::Custom("planes/gradOutput", &OtherPlanes<kPlaces>,
                          "gradOutput has N and C of self, and at most 2^31 - 1 windows along each "
                          "of the last dimensions",
                          kPooledGradientFix);
}

namespace adaptive {

enum : int { kSelf, kOutputSize, kOut };

template <size_t kDims>
inline constexpr Places kPlaces = {.self = {kSelf, "self"}, .pooled = {kOut, "out"}, .dims = kDims};

template <size_t kDims>
inline constexpr contract::Parameter kParameters[] = {
    Shared<kDims>(contract::Input("self", kDTypes, contract::kPlanesShape<kDims>)),
    kOutputSizeParameter<kDims>,
    Pooled<kDims>(contract::Output("out", kDTypes, "dtype of self")),
};

template <size_t kDims>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    kOutputSizeRules<kDims, kOutputSize>[0],
    kOutputSizeRules<kDims, kOutputSize>[1],
    HasPlanes<kPlaces<kDims>, false>(),
};

template <size_t kDims>
inline constexpr contract::Contract kContract = {
    .function = kDims == 2 ? "aclnnAdaptiveAvgPool2d" : "aclnnAdaptiveAvgPool3d",
    .folder = kDims == 2 ? "adaptive_avg_pool2d" : "adaptive_avg_pool3d",
    .summary = kDims == 2 ? "Adaptive average pooling in 2 dimensions: the mean of each window."
                          : "Adaptive average pooling in 3 dimensions: the mean of each window.",
    .products = kDims == 2 ? kAllProducts : kVolumeMeanProducts,
    .parameters = kParameters<kDims>,
    .rules = kRules<kDims>,
};
static_assert(contract::Matches<decltype(aclnnAdaptiveAvgPool2dGetWorkspaceSize)>(kContract<2>));
static_assert(contract::Matches<decltype(aclnnAdaptiveAvgPool3dGetWorkspaceSize)>(kContract<3>));

}  // namespace adaptive

namespace adaptive_backward {

enum : int { kGradOutput, kSelf, kOut };

template <size_t kDims>
inline constexpr Places kPlaces = {
    .self = {kSelf, "self"}, .pooled = {kGradOutput, "gradOutput"}, .dims = kDims};

template <size_t kDims>
inline constexpr auto kFloats = kDims == 2 ? kDTypes : kNewDTypes;

template <size_t kDims>
inline constexpr contract::Parameter kParameters[] = {
    OfRank<kDims>(
        contract::Input("gradOutput", kFloats<kDims>,
                        "gradient of the forward output: as many windows as it has share self")),
    OfRank<kDims>(contract::Input("self", kFloats<kDims>, contract::kForwardPlanesShape<kDims>)),
    OfRank<kDims>(contract::Output("out", kFloats<kDims>, "shape and dtype of self")),
};

template <size_t kDims>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/gradOutput", kGradOutput, kSelf,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::SameRank("same-rank/gradOutput", kGradOutput, kSelf,
                       "pass what the forward call had"),
    HasPlanes<kPlaces<kDims>, false>(),
    HasPlanesOfSelf<kPlaces<kDims>>(),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};

template <size_t kDims>
inline constexpr contract::Contract kContract = {
    .function = kDims == 2 ? "aclnnAdaptiveAvgPool2dBackward" : "aclnnAdaptiveAvgPool3dBackward",
    .folder = kDims == 2 ? "adaptive_avg_pool2d_backward" : "adaptive_avg_pool3d_backward",
    .summary = kDims == 2 ? "Gradient of aclnnAdaptiveAvgPool2d with respect to its input."
                          : "Gradient of aclnnAdaptiveAvgPool3d with respect to its input.",
    .products = kDims == 2 ? kAllProducts : kNewProducts,
    .parameters = kParameters<kDims>,
    .rules = kRules<kDims>,
};
static_assert(
    contract::Matches<decltype(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize)>(kContract<2>));
static_assert(
    contract::Matches<decltype(aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize)>(kContract<3>));

}  // namespace adaptive_backward

}  // namespace aclimb::pooling
