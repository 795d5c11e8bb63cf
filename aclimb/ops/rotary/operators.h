#pragma once

#include "aclimb/ops/rotary/contract.h"
#include "aclimb/ops/rotary/draw.h"
#include "aclimb/ops/rotary/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::rotary {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnRotaryPositionEmbeddingGetWorkspaceSize)>(
        rotary_position_embedding::kContract, &rotary_position_embedding::Truth,
        &rotary_position_embedding::DrawCall),
    truth::Entry<decltype(aclnnRotaryPositionEmbeddingGradGetWorkspaceSize)>(
        rotary_position_embedding_grad::kContract, &rotary_position_embedding_grad::Truth,
        &rotary_position_embedding_grad::DrawCall),
    truth::Entry<decltype(aclnnApplyRotaryPosEmbGetWorkspaceSize)>(apply_rotary_pos_emb::kContract,
                                                                   &apply_rotary_pos_emb::Truth,
                                                                   &apply_rotary_pos_emb::DrawCall),
};

}  // namespace aclimb::rotary
