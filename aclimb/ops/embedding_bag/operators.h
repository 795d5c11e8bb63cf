#pragma once

#include "aclimb/ops/embedding_bag/contract.h"
#include "aclimb/ops/embedding_bag/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::embedding_bag {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnEmbeddingBagGetWorkspaceSize)>(kContract, &Truth, &DrawBags)};

}  // namespace aclimb::embedding_bag
