#pragma once

#include <algorithm>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/pooling/average_contracts.h"
#include "aclimb/ops/pooling/max_contracts.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"

// Contracts of the operators that take the largest of windows that share planes equally.
namespace aclimb::pooling {

namespace adaptive_max {

enum : int { kSelf, kOutputSize, kOutputOut, kIndicesOut };

inline constexpr Places kPlaces = {.self = {kSelf, "self"}};

inline Finding OtherShape(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  std::vector<int64_t> expected = self.shape;
  std::ranges::copy(arguments.Ints(kOutputSize), expected.end() - 2);
  return contract::OtherShape("outputOut", arguments.Tensor(kOutputOut), expected,
                              Cat("self.shape ", contract::ShapeText(self), " and outputSize ",
                                  contract::IntsText(arguments.Ints(kOutputSize))));
}

inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("self", kNewDTypes, "[N, C, H, W] or [C, H, W]")),
    contract::Attribute("outputSize", Kind::kIntArray, "how many windows share H, and how many W"),
    Planes(contract::Output("outputOut", kNewDTypes,
                            "shape of self with outputSize in place of H and W; dtype of self")),
    Planes(contract::Output("indicesOut", contract::OnAll(contract::DTypes(DType::kInt64)),
                            "shape of outputOut: y * W + x of each maximum")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/outputOut", kOutputOut, kSelf,
                        "allocate outputOut with the dtype of self"),
    contract::Count("count/outputSize", kOutputSize, contract::Exactly(2),
                    "pass a number for H and one for W"),
    contract::InRange("range/outputSize", kOutputSize, kFromZero, "pass 0 or more"),
    contract::SameRank("same-rank/outputOut", kOutputOut, kSelf,
                       "allocate outputOut with the rank of self"),
    contract::Custom("planes/self", &WrongPlane<kPlaces, false>,
                     "the last two dimensions of self have elements", kPlaneFix),
    contract::Custom("shape/outputOut", &OtherShape,
                     "outputOut has the shape of self with outputSize in place of H and W",
                     kPooledFix),
    contract::SameShape("shape/indicesOut", kIndicesOut, kOutputOut,
                        "allocate indicesOut with the shape of outputOut"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAdaptiveMaxPool2d",
    .folder = "adaptive_max_pool2d",
    .summary =
        "The largest numbers of so many windows as are wanted, which share planes equally, "
        "and their indices.",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnAdaptiveMaxPool2dGetWorkspaceSize)>(kContract));

}  // namespace adaptive_max

namespace adaptive_max_backward {

enum : int { kGradOutput, kSelf, kIndices, kGradInput };

inline constexpr Places kPlaces = {.self = {kSelf, "self"}};

inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("gradOutput", kNewDTypes, "gradient of outputOut, of its shape")),
    Planes(
        contract::Input("self", kNewDTypes,
                        "the forward input, [N, C, H, W] or [C, H, W]: its shape alone matters")),
    Planes(
        contract::Input("indices", contract::OnAll(contract::DTypes(DType::kInt64, DType::kInt32)),
                        "that the forward call wrote; what is outside of the plane adds nothing")),
    Planes(contract::Output("gradInput", kNewDTypes, "shape and dtype of self")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the dtype of self"),
    contract::SameRank("same-rank/gradOutput", kGradOutput, kSelf,
                       "pass what the forward call had"),
    contract::Custom("planes/self", &WrongPlane<kPlaces, false>,
                     "the last two dimensions of self have elements", kPlaneFix),
    // The positions are the same.
    contract::Custom("planes/gradOutput", &adaptive_backward::OtherPlanes,
                     "gradOutput has N and C of self", "pass the gradient of the forward output"),
    contract::SameShape("shape/indices", kIndices, kGradOutput, "pass what the forward call wrote"),
    contract::SameShape("same-shape/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the shape of self"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAdaptiveMaxPool2dBackward",
    .folder = "adaptive_max_pool2d_backward",
    .summary = "Gradient of aclnnAdaptiveMaxPool2d with respect to its input.",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(
    contract::Matches<decltype(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize)>(kContract));

}  // namespace adaptive_max_backward

}  // namespace aclimb::pooling
