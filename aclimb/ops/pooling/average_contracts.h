#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/pooling/max_contracts.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"

// Contracts of the operators that take the mean of each window.
namespace aclimb::pooling {

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
    Planes(contract::Input("self", kDTypes, "[N, C, H, W] or [C, H, W]")),
    contract::Attribute("kernelSize", Kind::kIntArray,
                        "of windows: one number for both dimensions, or two"),
    contract::Attribute("strides", Kind::kIntArray,
                        "from window to window: as kernelSize, or none for that of kernelSize"),
    contract::Attribute("paddings", Kind::kIntArray,
                        "zeros that are put around planes: as kernelSize"),
    contract::Attribute("ceilMode", Kind::kBool,
                        "one more window for what is left over, unless it begins in the padding"),
    contract::Attribute("countIncludePad", Kind::kBool,
                        "true: sums are divided by the size of the window, padding included"),
    contract::Attribute("divisorOverride", Kind::kInteger,
                        "what sums are divided by instead, unless it is 0"),
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
    contract::Custom("planes/self", &WrongPlane<kPlaces, false>,
                     "the last two dimensions of self have elements", kPlaneFix),
    contract::Custom("half/paddings", &WidePadding<kPlaces>,
                     "paddings are half of a window at most, by kernelSize", kPaddingFix),
    contract::Custom("shape/out", &OtherPooledShape<kPlaces>,
                     "out has the shape of self with windows in place of H and W: floor((in + 2 * "
                     "paddings - kernelSize) / strides) + 1, with ceilMode the quotient rounded up",
                     kPooledFix),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAvgPool2d",
    .folder = "avg_pool2d",
    .summary = "The mean of each window.",
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
    Planes(contract::Input(
        "self", kDTypes, "the forward input, [N, C, H, W] or [C, H, W]: its shape alone matters")),
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
    contract::Custom("planes/self", &WrongPlane<kPlaces, false>,
                     "the last two dimensions of self have elements", kPlaneFix),
    contract::Custom("half/padding", &WidePadding<kPlaces>,
                     "padding is half of a window at most, by kernelSize", kPaddingFix),
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

namespace adaptive {

enum : int { kSelf, kOutputSize, kOut };

inline constexpr Places kPlaces = {.self = {kSelf, "self"}};

inline Finding OtherShape(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  std::vector<int64_t> expected = self.shape;
  std::ranges::copy(arguments.Ints(kOutputSize), expected.end() - 2);
  return contract::OtherShape("out", arguments.Tensor(kOut), expected,
                              Cat("self.shape ", contract::ShapeText(self), " and outputSize ",
                                  contract::IntsText(arguments.Ints(kOutputSize))));
}

inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("self", kDTypes, "[N, C, H, W] or [C, H, W]")),
    contract::Attribute("outputSize", Kind::kIntArray, "how many windows share H, and how many W"),
    Planes(contract::Output("out", kDTypes,
                            "shape of self with outputSize in place of H and W; dtype of self")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::Count("count/outputSize", kOutputSize, contract::Exactly(2),
                    "pass a number for H and one for W"),
    contract::InRange("range/outputSize", kOutputSize, kFromZero, "pass 0 or more"),
    contract::SameRank("same-rank/out", kOut, kSelf, "allocate out with the rank of self"),
    contract::Custom("planes/self", &WrongPlane<kPlaces, false>,
                     "the last two dimensions of self have elements", kPlaneFix),
    contract::Custom("shape/out", &OtherShape,
                     "out has the shape of self with outputSize in place of H and W", kPooledFix),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAdaptiveAvgPool2d",
    .folder = "adaptive_avg_pool2d",
    .summary = "The means of so many windows as are wanted, which share planes equally.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnAdaptiveAvgPool2dGetWorkspaceSize)>(kContract));

}  // namespace adaptive

namespace adaptive_backward {

enum : int { kGradOutput, kSelf, kOut };

inline constexpr Places kPlaces = {.self = {kSelf, "self"}};

inline Finding OtherPlanes(const Arguments& arguments) {
  const TensorDescriptor& grad = arguments.Tensor(kGradOutput);
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const size_t planes = self.shape.size() - 2;
  if (std::equal(self.shape.begin(), self.shape.end() - 2, grad.shape.begin()) &&
      grad.shape[planes] <= kMost && grad.shape[planes + 1] <= kMost) {
    return std::nullopt;
  }
  return Cat("gradOutput.shape is ", contract::ShapeText(grad), " and self.shape is ",
             contract::ShapeText(self), "; expected the same N and C, and ", kMost,
             " windows at most along H and W.");
}

inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("gradOutput", kDTypes,
                           "gradient of the forward output: as many windows as it has share self")),
    Planes(contract::Input(
        "self", kDTypes, "the forward input, [N, C, H, W] or [C, H, W]: its shape alone matters")),
    Planes(contract::Output("out", kDTypes, "shape and dtype of self")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/gradOutput", kGradOutput, kSelf,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::SameRank("same-rank/gradOutput", kGradOutput, kSelf,
                       "pass what the forward call had"),
    contract::Custom("planes/self", &WrongPlane<kPlaces, false>,
                     "the last two dimensions of self have elements", kPlaneFix),
    contract::Custom("planes/gradOutput", &OtherPlanes, "gradOutput has N and C of self",
                     "pass the gradient of the forward output"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAdaptiveAvgPool2dBackward",
    .folder = "adaptive_avg_pool2d_backward",
    .summary = "Gradient of aclnnAdaptiveAvgPool2d with respect to its input.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(
    contract::Matches<decltype(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize)>(kContract));

}  // namespace adaptive_backward

}  // namespace aclimb::pooling
