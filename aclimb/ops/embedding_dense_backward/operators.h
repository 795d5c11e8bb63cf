#pragma once

#include "aclimb/ops/embedding_dense_backward/contract.h"
#include "aclimb/ops/embedding_dense_backward/draw.h"
#include "aclimb/ops/embedding_dense_backward/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::embedding_dense_backward {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnEmbeddingDenseBackwardGetWorkspaceSize)>(kContract, &Truth,
                                                                        &DrawCall)};

}  // namespace aclimb::embedding_dense_backward
