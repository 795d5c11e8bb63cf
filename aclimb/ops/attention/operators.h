#pragma once

#include "aclimb/ops/attention/flash_attention_draw.h"
#include "aclimb/ops/attention/flash_attention_truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::attention {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnFlashAttentionScoreGetWorkspaceSize)>(
        flash_attention_score::kContract, &flash_attention_score::Truth,
        &flash_attention_score::DrawCall, /*holds_beyond_finite=*/false),
    truth::Entry<decltype(aclnnFlashAttentionScoreGradGetWorkspaceSize)>(
        flash_attention_score_grad::kContract, &flash_attention_score_grad::Truth,
        &flash_attention_score_grad::DrawCall, /*holds_beyond_finite=*/false),
};

}  // namespace aclimb::attention
