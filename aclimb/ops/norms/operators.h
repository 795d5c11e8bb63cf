#pragma once

#include "aclimb/ops/norms/batch_norm.h"
#include "aclimb/ops/norms/channels_truth.h"
#include "aclimb/ops/norms/group_norm.h"
#include "aclimb/ops/norms/layer_norm.h"
#include "aclimb/ops/norms/layer_norm_truth.h"
#include "aclimb/ops/norms/rms_norm.h"
#include "aclimb/ops/norms/rms_norm_truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::norms {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnLayerNormGetWorkspaceSize)>(
        layer_norm::kContract, &layer_norm::Truth, &layer_norm::DrawCall),
    truth::Entry<decltype(aclnnLayerNormWithImplModeGetWorkspaceSize)>(
        layer_norm::kWithImplModeContract, &layer_norm::Truth, &layer_norm::DrawCall),
    truth::Entry<decltype(aclnnLayerNormBackwardGetWorkspaceSize)>(layer_norm::backward::kContract,
                                                                   &layer_norm::backward::Truth,
                                                                   &layer_norm::backward::DrawCall),
    truth::Entry<decltype(aclnnRmsNormGetWorkspaceSize)>(rms_norm::kContract, &rms_norm::Truth,
                                                         &rms_norm::DrawCall),
    truth::Entry<decltype(aclnnRmsNormGradGetWorkspaceSize)>(
        rms_norm_grad::kContract, &rms_norm_grad::Truth, &rms_norm_grad::DrawCall),
    truth::Entry<decltype(aclnnAddRmsNormGetWorkspaceSize)>(
        add_rms_norm::kContract, &add_rms_norm::Truth, &add_rms_norm::DrawCall),
    truth::Entry<decltype(aclnnAddLayerNormGetWorkspaceSize)>(
        add_layer_norm::kContract, &add_layer_norm::Truth, &add_layer_norm::DrawCall),
    truth::Entry<decltype(aclnnGroupNormGetWorkspaceSize)>(
        group_norm::kContract, &group_norm::Truth, &group_norm::DrawCall),
    truth::Entry<decltype(aclnnGroupNormBackwardGetWorkspaceSize)>(group_norm_backward::kContract,
                                                                   &group_norm_backward::Truth,
                                                                   &group_norm_backward::DrawCall),
    truth::Entry<decltype(aclnnBatchNormGetWorkspaceSize)>(
        batch_norm::kContract, &batch_norm::Truth, &batch_norm::DrawCall),
    truth::Entry<decltype(aclnnBatchNormBackwardGetWorkspaceSize)>(batch_norm_backward::kContract,
                                                                   &batch_norm_backward::Truth,
                                                                   &batch_norm_backward::DrawCall),
};

}  // namespace aclimb::norms
