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

inline constexpr truth::InPlace kLayerNormInPlace[] = {{layer_norm::kOut, layer_norm::kInput}};
inline constexpr truth::InPlace kLayerNormBackwardInPlace[] = {
    {layer_norm::backward::kGradInput, layer_norm::backward::kGradOut},
    {layer_norm::backward::kGradInput, layer_norm::backward::kInput}};

inline constexpr truth::InPlace kRmsNormInPlace[] = {{rms_norm::kY, rms_norm::kX}};
inline constexpr truth::InPlace kRmsNormGradInPlace[] = {{rms_norm_grad::kDx, rms_norm_grad::kDy},
                                                         {rms_norm_grad::kDx, rms_norm_grad::kX}};
inline constexpr truth::InPlace kAddRmsNormInPlace[] = {{add_rms_norm::kY, add_rms_norm::kX1},
                                                        {add_rms_norm::kY, add_rms_norm::kX2},
                                                        {add_rms_norm::kX, add_rms_norm::kX1},
                                                        {add_rms_norm::kX, add_rms_norm::kX2}};
inline constexpr truth::InPlace kAddLayerNormInPlace[] = {
    {add_layer_norm::kY, add_layer_norm::kX1},
    {add_layer_norm::kY, add_layer_norm::kX2},
    {add_layer_norm::kX, add_layer_norm::kX1},
    {add_layer_norm::kX, add_layer_norm::kX2}};

inline constexpr truth::InPlace kGroupNormInPlace[] = {{group_norm::kOut, group_norm::kSelf}};
inline constexpr truth::InPlace kBatchNormInPlace[] = {{batch_norm::kOutput, batch_norm::kInput}};
inline constexpr truth::InPlace kBatchNormBackwardInPlace[] = {
    {batch_norm_backward::kGradInput, batch_norm_backward::kGradOut},
    {batch_norm_backward::kGradInput, batch_norm_backward::kInput}};

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnLayerNormGetWorkspaceSize)>(
        layer_norm::kContract, &layer_norm::Truth, &layer_norm::DrawCall, kLayerNormInPlace),
    truth::Entry<decltype(aclnnLayerNormWithImplModeGetWorkspaceSize)>(
        layer_norm::kWithImplModeContract, &layer_norm::Truth, &layer_norm::DrawCall,
        kLayerNormInPlace),
    truth::Entry<decltype(aclnnLayerNormBackwardGetWorkspaceSize)>(
        layer_norm::backward::kContract, &layer_norm::backward::Truth,
        &layer_norm::backward::DrawCall, kLayerNormBackwardInPlace),
    truth::Entry<decltype(aclnnRmsNormGetWorkspaceSize)>(rms_norm::kContract, &rms_norm::Truth,
                                                         &rms_norm::DrawCall, kRmsNormInPlace),
    truth::Entry<decltype(aclnnRmsNormGradGetWorkspaceSize)>(
        rms_norm_grad::kContract, &rms_norm_grad::Truth, &rms_norm_grad::DrawCall,
        kRmsNormGradInPlace),
    truth::Entry<decltype(aclnnAddRmsNormGetWorkspaceSize)>(
        add_rms_norm::kContract, &add_rms_norm::Truth, &add_rms_norm::DrawCall, kAddRmsNormInPlace),
    truth::Entry<decltype(aclnnAddLayerNormGetWorkspaceSize)>(
        add_layer_norm::kContract, &add_layer_norm::Truth, &add_layer_norm::DrawCall,
        kAddLayerNormInPlace),
    truth::Entry<decltype(aclnnGroupNormGetWorkspaceSize)>(
        group_norm::kContract, &group_norm::Truth, &group_norm::DrawCall, kGroupNormInPlace),
    // Sums are multiplied by the statistics once: their terms alone tell where infinities meet 0.
    truth::Entry<decltype(aclnnGroupNormBackwardGetWorkspaceSize)>(
        group_norm_backward::kContract, &group_norm_backward::Truth, &group_norm_backward::DrawCall,
        {}, /*holds_beyond_finite=*/false),
    truth::Entry<decltype(aclnnBatchNormGetWorkspaceSize)>(
        batch_norm::kContract, &batch_norm::Truth, &batch_norm::DrawCall, kBatchNormInPlace),
    truth::Entry<decltype(aclnnBatchNormBackwardGetWorkspaceSize)>(
        batch_norm_backward::kContract, &batch_norm_backward::Truth, &batch_norm_backward::DrawCall,
        kBatchNormBackwardInPlace, /*holds_beyond_finite=*/false),
};

}  // namespace aclimb::norms
