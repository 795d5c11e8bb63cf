#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/cross_entropy_loss_grad/rules.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"

namespace aclimb::cross_entropy_loss_grad {

inline constexpr auto kTargetDTypes = contract::DTypes(DType::kInt64, DType::kInt32);

// Zero-element z-loss tensors count as not given, whatever their dtype and rank: rules check the
// others.
inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(
        contract::Input("gradLoss", contract::OnAll(contract::kFloatDTypes),
                        "gradient of the loss: [N] for \"none\", else rank 0 or [1]"),
        0, 1),
    contract::WithShape(contract::Input("logProb", contract::OnAll(contract::kFloatDTypes),
                                        "log-softmax of the logits; dtype of gradLoss"),
                        "N C"),
    contract::WithShape(
        contract::Input("target", contract::OnAll(kTargetDTypes),
                        "classes; a row whose target is ignoreIndex or no class gets zeros"),
        "N", "pass one class for each row"),
    contract::Optional(contract::WithShape(
        contract::Input("weightOptional", contract::OnAll(contract::DTypes(DType::kFloat32)),
                        "weight of each class; null means all ones"),
        "C", "pass one weight for each class")),
    contract::EmptyIsAbsent(contract::Optional(
        contract::Input("gradZlossOptional", {},
                        "null; with ACLIMB_EXTENSIONS=1 shape and dtype of gradLoss, read when "
                        "lseSquareScaleForZloss is not 0"))),
    contract::EmptyIsAbsent(contract::Optional(
        contract::Input("lseForZlossOptional", {},
                        "null; with ACLIMB_EXTENSIONS=1 [N], dtype of gradLoss, log-sum-exp of "
                        "each row of logits"))),
    contract::Optional(contract::Attribute("reduction", contract::Kind::kString,
                                           "\"none\", \"mean\" or \"sum\"; null means \"mean\"")),
    contract::Attribute("ignoreIndex", contract::Kind::kInteger,
                        "target value to leave out, of any sign"),
    contract::Attribute("labelSmoothing", contract::Kind::kReal,
                        "0; with ACLIMB_EXTENSIONS=1 from 0 to 1"),
    contract::Attribute("lseSquareScaleForZloss", contract::Kind::kReal,
                        "0; with ACLIMB_EXTENSIONS=1 any"),
    contract::MayBe(
        contract::WithShape(contract::Output("xGradOut", contract::OnAll(contract::kFloatDTypes),
                                             "dtype of gradLoss"),
                            "N C", "allocate xGradOut with the shape of logProb"),
        kLogProb),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType(
        "same-dtype/logProb", kLogProb, kGradLoss,
        "convert the data of logProb to the dtype of gradLoss before it is copied to "
        "the device, and create the tensor with that dtype"),
    contract::SameDType("same-dtype/xGradOut", kXGradOut, kGradLoss,
                        "allocate xGradOut with the dtype of gradLoss"),
    contract::OneOf("reduction", kReduction, "none|mean|sum",
                    "pass one of the three, in lower case"),
    contract::InRange("range/labelSmoothing", kLabelSmoothing, contract::Between(0, 1),
                      "pass a value in [0, 1]"),
    contract::Reserved("reserved/labelSmoothing", kLabelSmoothing),
    contract::Reserved("reserved/lseSquareScaleForZloss", kLseSquareScale),
    contract::Reserved("reserved/gradZlossOptional", kGradZloss),
    contract::Reserved("reserved/lseForZlossOptional", kLseForZloss),
    contract::Custom("zloss/lse-given", &MissingLse,
                     "lseForZlossOptional is given when lseSquareScaleForZloss is not 0",
                     "pass the log-sum-exp that the forward call returned"),
    contract::Custom("zloss/dtype", &ZlossDType,
                     "z-loss tensors that are read have the dtype of gradLoss",
                     "convert the tensor to the dtype of gradLoss"),
    contract::Custom("shape/columns", &NoColumns, "logProb has at least one column",
                     "pass logProb as [N, C] with C > 0", kAclnnInnerTiling),
    contract::ReducesLoss("shape/gradLoss", kGradLoss, kTarget, -1, kReduction,
                          "pass the gradient of what the forward call returned for this reduction",
                          kAclnnInnerTiling),
    contract::Custom("shape/gradZlossOptional", &GradZlossShape,
                     "with logProb [N, C], a gradZlossOptional that is read is [N] when reduction "
                     "is \"none\", else it has rank 0 or shape [1]",
                     "pass the gradient of what the forward call returned for this reduction",
                     kAclnnInnerTiling),
    contract::Custom("shape/lseForZlossOptional", &LseShape,
                     "with logProb [N, C], a lseForZlossOptional that is read is [N]",
                     "pass the log-sum-exp that the forward call returned", kAclnnInnerTiling),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnCrossEntropyLossGrad",
    .folder = "cross_entropy_loss_grad",
    .summary =
        "Gradient of aclnnCrossEntropyLoss with respect to the logits, from the "
        "log-softmax that the forward call saved.",
    .products = Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950),
    .rank_code = kAclnnInnerTiling,
    .shape_code = kAclnnInnerTiling,
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnCrossEntropyLossGradGetWorkspaceSize)>(kContract));

}  // namespace aclimb::cross_entropy_loss_grad
