#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss2d.h"
#include "aclnnop/aclnn_nll_loss2d_backward.h"
#include "aclnnop/aclnn_nll_loss_backward.h"

namespace aclimb::nll_loss {

// Positions of the parameters of the losses, and of their gradients.
struct Forward {
  enum : int { kSelf, kTarget, kWeight, kReduction, kIgnoreIndex, kOut, kTotalWeight };
};
struct Backward {
  enum : int { kGradOutput, kSelf, kTarget, kWeight, kReduction, kIgnoreIndex, kTotalWeight, kOut };
};

enum Reduction : int64_t { kNone, kMean, kSum };

inline constexpr auto kFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);
inline constexpr auto kTargets =
    contract::OnAll(contract::DTypes(DType::kInt64, DType::kInt32, DType::kUInt8));

inline constexpr const char* kTargetDoc =
    "classes; a position whose target is ignoreIndex or no class is ignored, and the latter fails "
    "the run (507015)";
inline constexpr const char* kReductionDoc = "0 none, 1 mean, 2 sum";
inline constexpr const char* kIgnoreDoc = "target value to leave out, of any sign";

// kImages: [N, C, H, W] instead of [N, C] or [C].
template <bool kImages>
constexpr contract::Parameter Positions(contract::Parameter parameter) {
  if constexpr (kImages) return contract::WithShape(parameter, "N H W", "pass one class for each");
  return contract::WithRank(contract::WithShape(parameter, "S...", "pass one class for each row"),
                            0, 1);
}
template <bool kImages>
constexpr contract::Parameter Classes(contract::Parameter parameter) {
  if constexpr (kImages) return contract::WithShape(parameter, "N C H W");
  return contract::WithRank(contract::WithShape(parameter, "S... C"), 1, 2);
}
// A loss for each position, or one; rules tell its dtype and which of these ranks.
template <bool kImages>
constexpr contract::Parameter Loss(contract::Parameter parameter) {
  return contract::WithRank(parameter, 0, kImages ? 3 : 1);
}
constexpr contract::Parameter One(contract::Parameter parameter) {
  return contract::WithRank(parameter, 0, 1);
}

template <bool kImages>
inline constexpr contract::Parameter kForwardParameters[] = {
    Classes<kImages>(contract::Input("self", kFloats, "log-probabilities of C classes")),
    Positions<kImages>(contract::Input("target", kTargets, kTargetDoc)),
    contract::WithShape(contract::Input("weight", kFloats, "weight of each class; dtype of self"),
                        "C", "pass one weight for each class"),
    contract::Attribute("reduction", contract::Kind::kInteger, kReductionDoc),
    contract::Attribute("ignoreIndex", contract::Kind::kInteger, kIgnoreDoc),
    Loss<kImages>(contract::Output("out", {}, "the loss; dtype of self")),
    One(contract::Output("totalWeightOut", kFloats,
                         "sum of the weights of all targets that count; dtype of self")),
};
template <bool kImages>
inline constexpr contract::Parameter kBackwardParameters[] = {
    Loss<kImages>(contract::Input("gradOutput", {}, "gradient of the loss; dtype of self")),
    Classes<kImages>(contract::Input("self", kFloats, "only its shape and dtype count")),
    Positions<kImages>(contract::Input("target", kTargets, kTargetDoc)),
    contract::WithShape(contract::Input("weight", kFloats, "weight of each class; dtype of self"),
                        "C", "pass one weight for each class"),
    contract::Attribute("reduction", contract::Kind::kInteger, kReductionDoc),
    contract::Attribute("ignoreIndex", contract::Kind::kInteger, kIgnoreDoc),
    One(contract::Input("totalWeight", kFloats,
                        "what the forward call returned; read for reduction 1")),
    contract::WrittenEarly(
        Classes<kImages>(contract::Output("out", kFloats, "gradient of self; dtype of self"))),
};

inline constexpr contract::Rule kForwardRules[] = {
    contract::SameDType("same-dtype/weight", Forward::kWeight, Forward::kSelf,
                        "pass weights of the dtype of self"),
    contract::SameDType("same-dtype/out", Forward::kOut, Forward::kSelf,
                        "allocate out with the dtype of self"),
    contract::SameDType("same-dtype/totalWeightOut", Forward::kTotalWeight, Forward::kSelf,
                        "allocate totalWeightOut with the dtype of self"),
    contract::InRange("range/reduction", Forward::kReduction, contract::Between(0, 2),
                      "pass 0 for none, 1 for mean or 2 for sum"),
    contract::ReducesLoss("shape/out", Forward::kOut, Forward::kTarget, -1, Forward::kReduction,
                          "allocate out with this shape"),
    contract::OneElement("shape/totalWeightOut", Forward::kTotalWeight,
                         "allocate totalWeightOut with one element"),
};
inline constexpr contract::Rule kBackwardRules[] = {
    contract::SameDType("same-dtype/gradOutput", Backward::kGradOutput, Backward::kSelf,
                        "pass a gradient of the dtype of self"),
    contract::SameDType("same-dtype/weight", Backward::kWeight, Backward::kSelf,
                        "pass weights of the dtype of self"),
    contract::SameDType("same-dtype/totalWeight", Backward::kTotalWeight, Backward::kSelf,
                        "pass what the forward call returned"),
    contract::SameDType("same-dtype/out", Backward::kOut, Backward::kSelf,
                        "allocate out with the dtype of self"),
    contract::InRange("range/reduction", Backward::kReduction, contract::Between(0, 2),
                      "pass 0 for none, 1 for mean or 2 for sum"),
    contract::ReducesLoss("shape/gradOutput", Backward::kGradOutput, Backward::kTarget, -1,
                          Backward::kReduction,
                          "pass the gradient of what the forward call returned for this reduction"),
    contract::OneElement("shape/totalWeight", Backward::kTotalWeight,
                         "pass what the forward call returned"),
};

inline constexpr uint8_t kTrainingProducts =
    static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P));

inline constexpr contract::Contract kNLLLossContract = {
    .function = "aclnnNLLLoss",
    .folder = "nll_loss",
    .summary = "Negative log-likelihood loss of log-probabilities against classes.",
    .parameters = kForwardParameters<false>,
    .rules = kForwardRules,
};
inline constexpr contract::Contract kNLLLoss2dContract = {
    .function = "aclnnNLLLoss2d",
    .folder = "nll_loss2d",
    .summary = "Negative log-likelihood loss of the pixels of images against classes.",
    .parameters = kForwardParameters<true>,
    .rules = kForwardRules,
};
inline constexpr contract::Contract kNLLLossBackwardContract = {
    .function = "aclnnNLLLossBackward",
    .folder = "nll_loss_backward",
    .summary = "Gradient of aclnnNLLLoss with respect to the log-probabilities.",
    .products = kTrainingProducts,
    .parameters = kBackwardParameters<false>,
    .rules = kBackwardRules,
};
inline constexpr contract::Contract kNLLLoss2dBackwardContract = {
    .function = "aclnnNLLLoss2dBackward",
    .folder = "nll_loss2d_backward",
    .summary = "Gradient of aclnnNLLLoss2d with respect to the log-probabilities.",
    .products = kTrainingProducts,
    .parameters = kBackwardParameters<true>,
    .rules = kBackwardRules,
};

using contract::Matches;
static_assert(Matches<decltype(aclnnNLLLossGetWorkspaceSize)>(kNLLLossContract));
static_assert(Matches<decltype(aclnnNLLLoss2dGetWorkspaceSize)>(kNLLLoss2dContract));
static_assert(Matches<decltype(aclnnNLLLossBackwardGetWorkspaceSize)>(kNLLLossBackwardContract));
static_assert(
    Matches<decltype(aclnnNLLLoss2dBackwardGetWorkspaceSize)>(kNLLLoss2dBackwardContract));

}  // namespace aclimb::nll_loss
