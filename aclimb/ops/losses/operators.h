#pragma once

#include "aclimb/ops/losses/contracts.h"
#include "aclimb/ops/losses/draw.h"
#include "aclimb/ops/losses/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::losses {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnL1LossGetWorkspaceSize)>(
        l1_loss::kContract, &L1LossTruth,
        &DrawLoss<l1_loss::kReduction, l1_loss::kReduction, l1_loss::kOut>),
    truth::Entry<decltype(aclnnL1LossBackwardGetWorkspaceSize)>(
        l1_loss_backward::kContract, &L1LossBackwardTruth,
        &DrawGradient<l1_loss_backward::kReduction, l1_loss_backward::kReduction,
                      l1_loss_backward::kGradInput>),
    truth::Entry<decltype(aclnnSmoothL1LossGetWorkspaceSize)>(
        smooth_l1_loss::kContract, &SmoothL1LossTruth,
        &DrawLoss<smooth_l1_loss::kReduction, smooth_l1_loss::kBeta, smooth_l1_loss::kResult>),
    truth::Entry<decltype(aclnnSmoothL1LossBackwardGetWorkspaceSize)>(
        smooth_l1_loss_backward::kContract, &SmoothL1LossBackwardTruth,
        &DrawGradient<smooth_l1_loss_backward::kReduction, smooth_l1_loss_backward::kBeta,
                      smooth_l1_loss_backward::kGradInput>),
    truth::Entry<decltype(aclnnSoftMarginLossGetWorkspaceSize)>(
        soft_margin_loss::kContract, &SoftMarginLossTruth,
        &DrawLoss<soft_margin_loss::kReduction, soft_margin_loss::kReduction,
                  soft_margin_loss::kOut>),
    truth::Entry<decltype(aclnnSoftMarginLossBackwardGetWorkspaceSize)>(
        soft_margin_loss_backward::kContract, &SoftMarginLossBackwardTruth,
        &DrawGradient<soft_margin_loss_backward::kReduction, soft_margin_loss_backward::kReduction,
                      soft_margin_loss_backward::kOut>),
    truth::Entry<decltype(aclnnKlDivGetWorkspaceSize)>(
        kl_div::kContract, &KlDivTruth,
        &DrawLoss<kl_div::kReduction, kl_div::kLogTarget, kl_div::kOut>),
    truth::Entry<decltype(aclnnKlDivBackwardGetWorkspaceSize)>(
        kl_div_backward::kContract, &KlDivBackwardTruth,
        &DrawGradient<kl_div_backward::kReduction, kl_div_backward::kLogTarget,
                      kl_div_backward::kOut>),
    truth::Entry<decltype(aclnnBinaryCrossEntropyGetWorkspaceSize)>(
        binary_cross_entropy::kContract, &BinaryCrossEntropyTruth,
        &DrawCrossEntropy<0, 1, binary_cross_entropy::kReduction, binary_cross_entropy::kOut>),
    truth::Entry<decltype(aclnnBinaryCrossEntropyBackwardGetWorkspaceSize)>(
        binary_cross_entropy_backward::kContract, &BinaryCrossEntropyBackwardTruth,
        &DrawCrossEntropy<1, 1, binary_cross_entropy_backward::kReduction,
                          binary_cross_entropy_backward::kOut>),
    truth::Entry<decltype(aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize)>(
        binary_cross_entropy_with_logits::kContract, &BinaryCrossEntropyWithLogitsTruth,
        &DrawCrossEntropy<0, 2, binary_cross_entropy_with_logits::kReduction,
                          binary_cross_entropy_with_logits::kOut>),
    truth::Entry<decltype(aclnnBinaryCrossEntropyWithLogitsBackwardGetWorkspaceSize)>(
        binary_cross_entropy_with_logits_backward::kContract,
        &BinaryCrossEntropyWithLogitsBackwardTruth,
        &DrawCrossEntropy<1, 2, binary_cross_entropy_with_logits_backward::kReduction,
                          binary_cross_entropy_with_logits_backward::kOut>),
};

}  // namespace aclimb::losses
