#pragma once

#include "aclimb/ops/attention/flash_attention_draw.h"
#include "aclimb/ops/attention/flash_attention_truth.h"
#include "aclimb/ops/attention/infer_draw.h"
#include "aclimb/ops/attention/infer_truth.h"
#include "aclimb/ops/attention/sequences_draw.h"
#include "aclimb/ops/attention/sequences_truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::attention {

// The gradients' truths hold for finite numbers: products of tiles meet what takes no part with
// weights of 0, which makes NaN of an infinite key or gradient where the definition has nothing.
inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnFlashAttentionScoreGetWorkspaceSize)>(
        flash_attention_score::kContract, &flash_attention_score::Truth,
        &flash_attention_score::DrawCall),
    truth::Entry<decltype(aclnnFlashAttentionScoreGradGetWorkspaceSize)>(
        flash_attention_score_grad::kContract, &flash_attention_score_grad::Truth,
        &flash_attention_score_grad::DrawCall, /*holds_beyond_finite=*/false),
    truth::Entry<decltype(aclnnFusedInferAttentionScoreGetWorkspaceSize)>(
        fused_infer_attention_score::kContract,
        &InferTruth<fused_infer_attention_score::kPlaces, fused_infer_attention_score::kScaleValue>,
        &DrawInfer<fused_infer_attention_score::kPlaces, fused_infer_attention_score::kScaleValue,
                   fused_infer_attention_score::kInnerPrecise>),
    truth::Entry<decltype(aclnnFusedInferAttentionScoreV2GetWorkspaceSize)>(
        fused_infer_attention_score_v2::kContract,
        &InferTruth<fused_infer_attention_score_v2::kPlaces,
                    fused_infer_attention_score_v2::kScaleValue>,
        &DrawInfer<fused_infer_attention_score_v2::kPlaces,
                   fused_infer_attention_score_v2::kScaleValue,
                   fused_infer_attention_score_v2::kInnerPrecise>),
    truth::Entry<decltype(aclnnFusedInferAttentionScoreV3GetWorkspaceSize)>(
        fused_infer_attention_score_v3::kContract,
        &InferTruth<fused_infer_attention_score_v3::kPlaces,
                    fused_infer_attention_score_v3::kScaleValue>,
        &DrawInfer<fused_infer_attention_score_v3::kPlaces,
                   fused_infer_attention_score_v3::kScaleValue,
                   fused_infer_attention_score_v3::kInnerPrecise>),
    truth::Entry<decltype(aclnnPromptFlashAttentionV3GetWorkspaceSize)>(
        prompt_flash_attention_v3::kContract,
        &InferTruth<prompt_flash_attention_v3::kPlaces, prompt_flash_attention_v3::kScaleValue>,
        &DrawInfer<prompt_flash_attention_v3::kPlaces, prompt_flash_attention_v3::kScaleValue,
                   prompt_flash_attention_v3::kInnerPrecise>),
    truth::Entry<decltype(aclnnFlashAttentionVarLenScoreGetWorkspaceSize)>(
        flash_attention_var_len_score::kContract, &flash_attention_var_len_score::Truth,
        &flash_attention_var_len_score::DrawCall),
    truth::Entry<decltype(aclnnFlashAttentionUnpaddingScoreGradGetWorkspaceSize)>(
        flash_attention_unpadding_score_grad::kContract,
        &flash_attention_unpadding_score_grad::Truth,
        &flash_attention_unpadding_score_grad::DrawCall, /*holds_beyond_finite=*/false),
    truth::Entry<decltype(aclnnIncreFlashAttentionV4GetWorkspaceSize)>(
        incre_flash_attention_v4::kContract,
        &InferTruth<incre_flash_attention_v4::kPlaces, incre_flash_attention_v4::kScaleValue>,
        &DrawInfer<incre_flash_attention_v4::kPlaces, incre_flash_attention_v4::kScaleValue,
                   incre_flash_attention_v4::kInnerPrecise>),
};

}  // namespace aclimb::attention
