#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"

namespace aclimb::apply_adam_w_v2 {

// Parameter positions, in the order of the C function.
enum : int {
  kVar,
  kM,
  kV,
  kMax,
  kGrad,
  kStep,
  kLr,
  kBeta1,
  kBeta2,
  kWeightDecay,
  kEps,
  kAmsgrad,
  kMaximize
};

inline constexpr auto kDTypes = contract::OnAll(contract::kFloatDTypes);
inline constexpr contract::Parameter kParameters[] = {
    contract::InOut("varRef", kDTypes, "the parameter, any shape"),
    contract::InOut("mRef", kDTypes, "running mean of the gradients"),
    contract::InOut("vRef", kDTypes, "running mean of their squares"),
    contract::Optional(contract::InOut("maxGradNormOptionalRef", kDTypes,
                                       "the largest v so far; not used unless amsgrad is true")),
    contract::Input("grad", kDTypes, "gradient of the parameter"),
    contract::WithRank(
        contract::Input("step", contract::OnAll(contract::DTypes(DType::kInt64, DType::kFloat32)),
                        "how many steps have been made before"),
        0, 1),
    contract::Attribute("lr", contract::Kind::kReal, "learning rate"),
    contract::Attribute("beta1", contract::Kind::kReal, "weight of m before"),
    contract::Attribute("beta2", contract::Kind::kReal, "weight of v before"),
    contract::Attribute("weightDecay", contract::Kind::kReal, "how much of var is taken off"),
    contract::Attribute("eps", contract::Kind::kReal, "added to the root of v"),
    contract::Attribute("amsgrad", contract::Kind::kBool, "whether the largest v so far is used"),
    contract::Attribute("maximize", contract::Kind::kBool, "whether var goes along the gradient"),
};

constexpr contract::Rule LikeVar(const char* id, int tensor) {
  return contract::SameDType(id, tensor, kVar, "create it with the dtype of varRef");
}
constexpr contract::Rule ShapedAsVar(const char* id, int tensor) {
  return contract::SameShape(id, tensor, kVar, "create it with the shape of varRef");
}
inline constexpr contract::Rule kRules[] = {
    contract::Wanted("wanted/maxGradNormOptionalRef", kMax, kAmsgrad,
                     "pass the tensor that keeps the largest v"),
    LikeVar("same-dtype/mRef", kM),
    LikeVar("same-dtype/vRef", kV),
    ShapedAsVar("same-shape/mRef", kM),
    ShapedAsVar("same-shape/vRef", kV),
    ShapedAsVar("same-shape/maxGradNormOptionalRef", kMax),
    ShapedAsVar("same-shape/grad", kGrad),
    contract::OneElement("one-element/step", kStep, "pass a tensor of one element"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnApplyAdamWV2",
    .folder = "apply_adam_w_v2",
    .summary = "One step of AdamW for one parameter, in place.",
    .products = static_cast<uint8_t>(kAllProducts &
                                     ~(Bit(Product::kInference310P) | Bit(Product::kTraining910))),
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnApplyAdamWV2GetWorkspaceSize)>(kContract));

}  // namespace aclimb::apply_adam_w_v2
