#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_binary_cross_entropy.h"
#include "aclnnop/aclnn_binary_cross_entropy_backward.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_kl_div.h"
#include "aclnnop/aclnn_kl_div_backward.h"
#include "aclnnop/aclnn_l1_loss.h"
#include "aclnnop/aclnn_l1_loss_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "aclnnop/aclnn_soft_margin_loss.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"

namespace aclimb::losses {

using contract::Arguments;
using contract::Kind;

inline constexpr auto kFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);
inline constexpr auto kNot310P = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P));

inline constexpr contract::Parameter kReductionParameter =
    contract::Attribute("reduction", Kind::kInteger, "0 none, 1 mean, 2 sum");
inline constexpr contract::Parameter kGradientReduction =
    contract::Attribute("reduction", Kind::kInteger, "that of the loss: 0 none, 1 mean, 2 sum");
inline constexpr contract::Parameter kLogTarget =
    contract::Attribute("logTarget", Kind::kBool, "whether target is a logarithm already");
constexpr contract::Rule ReductionInRange(int reduction, int most = 2) {
  return contract::InRange("range/reduction", reduction, contract::Between(0, most),
                           most == 2 ? "pass 0 for none, 1 for mean or 2 for sum"
                                     : "pass 0 for none, 1 for mean, 2 for sum or 3 for the mean "
                                       "over the batch");
}
// self, the first tensor of a loss and the second one of a gradient, says what the others are.
constexpr contract::Rule LikeSelf(const char* id, int tensor, int self) {
  return contract::SameDType(id, tensor, self, "pass tensors of one dtype");
}
constexpr contract::Rule ShapedAsSelf(const char* id, int tensor, int self) {
  return contract::SameShape(id, tensor, self, "pass tensors of one shape");
}
constexpr contract::Rule BroadcastsToSelf(const char* id, int tensor, int self) {
  return contract::Broadcasts(id, self, tensor, "pass a tensor that broadcasts to self");
}

// ---- Losses

// The shape that self and target broadcast to, which are the first two, or a single element.
template <int kReduction, int kOut>
inline constexpr contract::Rule kOutRule = contract::ReducesLoss(
    "shape/out", kOut, 0, 1, kReduction, "pass tensors that broadcast, and an out of that shape");

inline constexpr contract::Parameter kSelf = contract::Input("self", kFloats, "any shape");
inline constexpr contract::Parameter kTarget =
    contract::Input("target", kFloats, "what self should be; broadcasts with it");
inline constexpr contract::Parameter kLike =
    contract::Input("target", kFloats, "what self should be: its shape and dtype");
inline constexpr contract::Parameter kOut =
    contract::Output("out", kFloats, "the losses, their mean or their sum");
inline constexpr contract::Parameter kGradient =
    contract::Input("gradOutput", kFloats, "gradient of the loss; broadcasts with the others");

namespace l1_loss {
enum : int { kSelf, kTarget, kReduction, kOut };
inline constexpr contract::Parameter kParameters[] = {losses::kSelf, losses::kTarget,
                                                      kReductionParameter, losses::kOut};
inline constexpr contract::Rule kRules[] = {ReductionInRange(kReduction),
                                            kOutRule<kReduction, kOut>};
inline constexpr contract::Contract kContract = {
    .function = "aclnnL1Loss",
    .folder = "l1_loss",
    .summary = "L1 loss: the absolute difference of two tensors, its mean or its sum.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnL1LossGetWorkspaceSize)>(kContract));
}  // namespace l1_loss

namespace smooth_l1_loss {
enum : int { kSelf, kTarget, kReduction, kBeta, kResult };
inline constexpr contract::Parameter kParameters[] = {
    losses::kSelf, losses::kTarget, kReductionParameter,
    contract::Attribute("beta", Kind::kReal, "differences below it are squared"),
    contract::Output("result", kFloats, "the losses, their mean or their sum")};
inline constexpr contract::Rule kRules[] = {
    ReductionInRange(kReduction),
    contract::InRange("range/beta", kBeta, contract::AtLeast(0), "pass 0 or more"),
    contract::ReducesLoss("shape/result", kResult, 0, 1, kReduction,
                          "pass tensors that broadcast, and a result of that shape")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSmoothL1Loss",
    .folder = "smooth_l1_loss",
    .summary =
        "Smooth L1 loss: the absolute difference of two tensors, squared where it is small, its "
        "mean or its sum.",
    .products = kNot310P,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnSmoothL1LossGetWorkspaceSize)>(kContract));
}  // namespace smooth_l1_loss

namespace soft_margin_loss {
enum : int { kSelf, kTarget, kReduction, kOut };
inline constexpr contract::Parameter kParameters[] = {
    losses::kSelf,
    contract::Input("target", kFloats,
                    "-1 or 1, the sign that self should have; broadcasts with it"),
    kReductionParameter, losses::kOut};
inline constexpr contract::Rule kRules[] = {ReductionInRange(kReduction),
                                            kOutRule<kReduction, kOut>};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSoftMarginLoss",
    .folder = "soft_margin_loss",
    .summary = "Soft margin loss: log(1 + exp(-target * self)), the mean of all or their sum.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnSoftMarginLossGetWorkspaceSize)>(kContract));
}  // namespace soft_margin_loss

namespace kl_div {
enum : int { kSelf, kTarget, kReduction, kLogTarget, kOut };
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kFloats, "logarithms of probabilities, any shape"), losses::kTarget,
    kReductionParameter, losses::kLogTarget, losses::kOut};
inline constexpr contract::Rule kRules[] = {ReductionInRange(kReduction),
                                            kOutRule<kReduction, kOut>};
inline constexpr contract::Contract kContract = {
    .function = "aclnnKlDiv",
    .folder = "kl_div",
    .summary =
        "Kullback-Leibler divergence of self, a logarithm, from target: its terms, their "
        "mean or their sum.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnKlDivGetWorkspaceSize)>(kContract));
}  // namespace kl_div

namespace binary_cross_entropy {
enum : int { kSelf, kTarget, kWeight, kReduction, kOut };
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kFloats, "probabilities, any shape"), kLike,
    contract::Optional(contract::Input("weight", kFloats, "factor of each loss; null means 1")),
    kReductionParameter, losses::kOut};
inline constexpr contract::Rule kRules[] = {LikeSelf("same-dtype/target", kTarget, kSelf),
                                            LikeSelf("same-dtype/weight", kWeight, kSelf),
                                            LikeSelf("same-dtype/out", kOut, kSelf),
                                            ReductionInRange(kReduction),
                                            ShapedAsSelf("same-shape/target", kTarget, kSelf),
                                            BroadcastsToSelf("broadcasts/weight", kWeight, kSelf),
                                            kOutRule<kReduction, kOut>};
inline constexpr contract::Contract kContract = {
    .function = "aclnnBinaryCrossEntropy",
    .folder = "binary_cross_entropy",
    .summary =
        "Cross-entropy of probabilities against target, for two classes, its mean or its "
        "sum.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnBinaryCrossEntropyGetWorkspaceSize)>(kContract));
}  // namespace binary_cross_entropy

namespace binary_cross_entropy_with_logits {
enum : int { kSelf, kTarget, kWeight, kPosWeight, kReduction, kOut };
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kFloats, "logits, any shape"),
    contract::Input("target", kFloats, "what their sigmoid should be: shape of self"),
    contract::Optional(
        contract::Input("weightOptional", kFloats, "factor of each loss; null means 1")),
    contract::Optional(contract::Input("posWeightOptional", kFloats,
                                       "factor of the losses of target 1; null means 1")),
    kReductionParameter,
    losses::kOut};
inline constexpr contract::Rule kRules[] = {
    ReductionInRange(kReduction), ShapedAsSelf("same-shape/target", kTarget, kSelf),
    BroadcastsToSelf("broadcasts/weightOptional", kWeight, kSelf),
    BroadcastsToSelf("broadcasts/posWeightOptional", kPosWeight, kSelf),
    kOutRule<kReduction, kOut>};
inline constexpr contract::Contract kContract = {
    .function = "aclnnBinaryCrossEntropyWithLogits",
    .folder = "binary_cross_entropy_with_logits",
    .summary =
        "Cross-entropy of the sigmoid of logits against target, for two classes, its mean "
        "or its sum.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(
    contract::Matches<decltype(aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize)>(kContract));
}  // namespace binary_cross_entropy_with_logits

// ---- Gradients

inline constexpr contract::Parameter kGradientOut =
    contract::Output("out", kFloats, "the shape that the others broadcast to");
inline constexpr contract::Parameter kGradientOfSelf =
    contract::Output("gradInput", kFloats, "the shape that the others broadcast to");
constexpr contract::Rule Together(const char* id, int out) {
  return contract::Broadcasts(id, out, 0, 1, 2,
                              "pass tensors that broadcast, and an output of that shape");
}

namespace l1_loss_backward {
enum : int { kGradOutput, kSelf, kTarget, kReduction, kGradInput };
inline constexpr contract::Parameter kParameters[] = {kGradient, losses::kSelf, losses::kTarget,
                                                      kGradientReduction, kGradientOfSelf};
inline constexpr contract::Rule kRules[] = {ReductionInRange(kReduction),
                                            Together("broadcasts/gradInput", kGradInput)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnL1LossBackward",
    .folder = "l1_loss_backward",
    .summary = "Gradient of aclnnL1Loss with respect to self.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnL1LossBackwardGetWorkspaceSize)>(kContract));
}  // namespace l1_loss_backward

namespace soft_margin_loss_backward {
enum : int { kGradOutput, kSelf, kTarget, kReduction, kOut };
inline constexpr contract::Parameter kParameters[] = {
    kGradient, losses::kSelf, losses::kTarget, kGradientReduction,
    contract::Output("out", kFloats, "the shape that the others broadcast to")};
inline constexpr contract::Rule kRules[] = {ReductionInRange(kReduction),
                                            Together("broadcasts/out", kOut)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSoftMarginLossBackward",
    .folder = "soft_margin_loss_backward",
    .summary = "Gradient of aclnnSoftMarginLoss with respect to self.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnSoftMarginLossBackwardGetWorkspaceSize)>(kContract));
}  // namespace soft_margin_loss_backward

namespace smooth_l1_loss_backward {
enum : int { kGradOut, kSelf, kTarget, kReduction, kBeta, kGradInput };
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("gradOut", kFloats, "gradient of the loss; broadcasts with the others"),
    losses::kSelf,
    losses::kTarget,
    kGradientReduction,
    contract::Attribute("beta", Kind::kReal, "that of the loss"),
    kGradientOfSelf};
inline constexpr contract::Rule kRules[] = {
    ReductionInRange(kReduction),
    contract::InRange("range/beta", kBeta, contract::AtLeast(0), "pass 0 or more"),
    Together("broadcasts/gradInput", kGradInput)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSmoothL1LossBackward",
    .folder = "smooth_l1_loss_backward",
    .summary = "Gradient of aclnnSmoothL1Loss with respect to self.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnSmoothL1LossBackwardGetWorkspaceSize)>(kContract));
}  // namespace smooth_l1_loss_backward

namespace kl_div_backward {
enum : int { kGradOutput, kSelf, kTarget, kReduction, kLogTarget, kOut };
inline constexpr contract::Parameter kParameters[] = {
    kGradient,
    losses::kSelf,
    losses::kTarget,
    contract::Attribute("reduction", Kind::kInteger,
                        "that of the loss: 0 none, 1 mean, 2 sum, 3 mean over the batch"),
    losses::kLogTarget,
    kGradientOut};
inline constexpr contract::Rule kRules[] = {ReductionInRange(kReduction, 3),
                                            Together("broadcasts/out", kOut)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnKlDivBackward",
    .folder = "kl_div_backward",
    .summary = "Gradient of aclnnKlDiv with respect to self.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnKlDivBackwardGetWorkspaceSize)>(kContract));
}  // namespace kl_div_backward

namespace binary_cross_entropy_backward {
enum : int { kGradOutput, kSelf, kTarget, kWeight, kReduction, kOut };
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("gradOutput", kFloats, "gradient of the loss; broadcasts to self"),
    contract::Input("self", kFloats, "probabilities, any shape"),
    kLike,
    contract::Optional(
        contract::Input("weightOptional", kFloats, "factor of each loss; null means 1")),
    kGradientReduction,
    contract::Output("out", kFloats, "shape and dtype of self")};
inline constexpr contract::Rule kRules[] = {
    LikeSelf("same-dtype/gradOutput", kGradOutput, kSelf),
    LikeSelf("same-dtype/target", kTarget, kSelf),
    LikeSelf("same-dtype/weightOptional", kWeight, kSelf),
    LikeSelf("same-dtype/out", kOut, kSelf),
    ReductionInRange(kReduction),
    BroadcastsToSelf("broadcasts/gradOutput", kGradOutput, kSelf),
    ShapedAsSelf("same-shape/target", kTarget, kSelf),
    BroadcastsToSelf("broadcasts/weightOptional", kWeight, kSelf),
    ShapedAsSelf("same-shape/out", kOut, kSelf)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnBinaryCrossEntropyBackward",
    .folder = "binary_cross_entropy_backward",
    .summary = "Gradient of aclnnBinaryCrossEntropy with respect to self.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(
    contract::Matches<decltype(aclnnBinaryCrossEntropyBackwardGetWorkspaceSize)>(kContract));
}  // namespace binary_cross_entropy_backward

namespace binary_cross_entropy_with_logits_backward {
enum : int { kGradOutput, kSelf, kTarget, kWeight, kPosWeight, kReduction, kOut };
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("gradOutput", kFloats, "gradient of the loss; broadcasts to self"),
    contract::Input("self", kFloats, "logits, any shape"),
    contract::Input("target", kFloats, "what their sigmoid should be: shape of self"),
    contract::Optional(
        contract::Input("weightOptional", kFloats, "factor of each loss; null means 1")),
    contract::Optional(contract::Input("posWeightOptional", kFloats,
                                       "factor of the losses of target 1; null means 1")),
    kGradientReduction,
    contract::Output("out", kFloats, "shape of self")};
inline constexpr contract::Rule kRules[] = {
    ReductionInRange(kReduction),
    BroadcastsToSelf("broadcasts/gradOutput", kGradOutput, kSelf),
    ShapedAsSelf("same-shape/target", kTarget, kSelf),
    BroadcastsToSelf("broadcasts/weightOptional", kWeight, kSelf),
    BroadcastsToSelf("broadcasts/posWeightOptional", kPosWeight, kSelf),
    ShapedAsSelf("same-shape/out", kOut, kSelf)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnBinaryCrossEntropyWithLogitsBackward",
    .folder = "binary_cross_entropy_with_logits_backward",
    .summary = "Gradient of aclnnBinaryCrossEntropyWithLogits with respect to self.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(
    contract::Matches<decltype(aclnnBinaryCrossEntropyWithLogitsBackwardGetWorkspaceSize)>(
        kContract));
}  // namespace binary_cross_entropy_with_logits_backward

}  // namespace aclimb::losses
