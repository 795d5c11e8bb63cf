#pragma once

#include "aclimb/ops/repeats/contracts.h"
#include "aclimb/ops/repeats/draw.h"
#include "aclimb/ops/repeats/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::repeats {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnExpandGetWorkspaceSize)>(expand::kContract, &RepeatTruth,
                                                        &DrawExpand),
    truth::Entry<decltype(aclnnRepeatGetWorkspaceSize)>(repeat::kContract, &RepeatTruth,
                                                        &DrawRepeat),
    truth::Entry<decltype(aclnnRepeatInterleaveIntWithDimGetWorkspaceSize)>(
        interleave::kContract, &InterleaveTruth, &DrawInterleave),
};

}  // namespace aclimb::repeats
