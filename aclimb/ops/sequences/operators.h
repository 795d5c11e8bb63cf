#pragma once

#include "aclimb/ops/sequences/contracts.h"
#include "aclimb/ops/sequences/draw.h"
#include "aclimb/ops/sequences/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::sequences {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnArangeGetWorkspaceSize)>(kArange, &RangeTruth, &DrawRange<false>),
    truth::Entry<decltype(aclnnRangeGetWorkspaceSize)>(kRange, &RangeTruth, &DrawRange<true>),
    truth::Entry<decltype(aclnnLinspaceGetWorkspaceSize)>(kLinspace, &LinspaceTruth, &DrawLinspace),
};

}  // namespace aclimb::sequences
