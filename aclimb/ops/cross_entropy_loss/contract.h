#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/cross_entropy_loss/rules.h"
#include "aclnnop/aclnn_cross_entropy_loss.h"

namespace aclimb::cross_entropy_loss {

inline constexpr auto kTargetDTypes = contract::DTypes(DType::kInt64, DType::kInt32);

// The last two outputs count as not given when they are empty, whatever their dtype and rank: rules
// check the others.
inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(
        contract::Input("input", contract::OnAll(contract::kFloatDTypes), "logits of N rows"),
        "N C"),
    contract::WithShape(
        contract::Input("target", contract::OnAll(kTargetDTypes),
                        "classes; a row whose target is ignoreIndex or no class is ignored, and "
                        "the latter fails the run (507015)"),
        "N", "pass one class for each row"),
    contract::Optional(contract::WithShape(
        contract::Input("weightOptional", contract::OnAll(contract::DTypes(DType::kFloat32)),
                        "weight of each class; null means all ones"),
        "C", "pass one weight for each class")),
    contract::Optional(contract::Attribute("reductionOptional", contract::Kind::kString,
                                           "\"none\", \"mean\" or \"sum\"; null means \"mean\"")),
    contract::Attribute("ignoreIndex", contract::Kind::kInteger,
                        "target value to leave out, of any sign"),
    contract::Attribute("labelSmoothing", contract::Kind::kReal,
                        "0; with ACLIMB_EXTENSIONS=1 from 0 to 1"),
    contract::Attribute("lseSquareScaleForZloss", contract::Kind::kReal,
                        "0; with ACLIMB_EXTENSIONS=1 any"),
    contract::Attribute("returnZloss", contract::Kind::kBool,
                        "false; with ACLIMB_EXTENSIONS=1 also true: zlossOut and lseForZlossOut "
                        "have to be given"),
    contract::WithRank(contract::Output("lossOut", contract::OnAll(contract::kFloatDTypes),
                                        "[N] for \"none\", else rank 0 or [1]; dtype of input"),
                       0, 1),
    contract::MayBe(
        contract::WithShape(contract::Output("logProbOut", contract::OnAll(contract::kFloatDTypes),
                                             "log-softmax of each row, which the gradient reads; "
                                             "dtype of input"),
                            "N C", "allocate logProbOut with the shape of input"),
        kInput),
    contract::EmptyIsAbsent(contract::Optional(
        contract::Output("zlossOut", {},
                         "null, or shape and dtype of lossOut: the part of the loss that "
                         "lseSquareScaleForZloss adds"))),
    contract::EmptyIsAbsent(contract::Optional(contract::Output(
        "lseForZlossOut", {}, "null, or [N] of the dtype of input: log-sum-exp of each row"))),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/lossOut", kLossOut, kInput,
                        "allocate lossOut with the dtype of input"),
    contract::SameDType("same-dtype/logProbOut", kLogProbOut, kInput,
                        "allocate logProbOut with the dtype of input"),
    contract::OneOf("reductionOptional", kReduction, "none|mean|sum",
                    "pass one of the three, in lower case"),
    contract::InRange("range/labelSmoothing", kLabelSmoothing, contract::Between(0, 1),
                      "pass a value in [0, 1]"),
    contract::Reserved("reserved/labelSmoothing", kLabelSmoothing),
    contract::Reserved("reserved/lseSquareScaleForZloss", kLseSquareScale),
    contract::Reserved("reserved/returnZloss", kReturnZloss),
    contract::Custom("zloss/given", &MissingZloss,
                     "zlossOut and lseForZlossOut are given when returnZloss is true",
                     "pass a tensor, or returnZloss as false"),
    contract::SameDType("same-dtype/zlossOut", kZlossOut, kInput,
                        "allocate zlossOut with the dtype of input"),
    contract::SameDType("same-dtype/lseForZlossOut", kLseForZlossOut, kInput,
                        "allocate lseForZlossOut with the dtype of input"),
    contract::Custom("shape/columns", &NoColumns, "input has at least one column",
                     "pass input as [N, C] with C > 0", kAclnnInnerTiling),
    contract::ReducesLoss("shape/lossOut", kLossOut, kTarget, -1, kReduction,
                          "allocate lossOut with this shape", kAclnnInnerTiling),
    contract::ReducesLoss("shape/zlossOut", kZlossOut, kTarget, -1, kReduction,
                          "allocate zlossOut with this shape", kAclnnInnerTiling),
    contract::SameShape("shape/lseForZlossOut", kLseForZlossOut, kTarget,
                        "allocate lseForZlossOut with this shape", kAclnnInnerTiling),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnCrossEntropyLoss",
    .folder = "cross_entropy_loss",
    .summary = "Cross-entropy loss of logits against classes, and their log-softmax.",
    .products = Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950),
    .rank_code = kAclnnInnerTiling,
    .shape_code = kAclnnInnerTiling,
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnCrossEntropyLossGetWorkspaceSize)>(kContract));

}  // namespace aclimb::cross_entropy_loss
