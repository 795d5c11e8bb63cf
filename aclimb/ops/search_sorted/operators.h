#pragma once

#include "aclimb/ops/search_sorted/contracts.h"
#include "aclimb/ops/search_sorted/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::search_sorted {

// Where NaN is put into a sequence it is no longer in order, and the truth does not hold. Drawn
// sequences may have infinities, drawn values NaN too.
inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnSearchSortedGetWorkspaceSize)>(
        tensor::kContract, &SearchTruth<false>, &DrawSearch<false>, false),
    truth::Entry<decltype(aclnnSearchSortedsGetWorkspaceSize)>(
        number::kContract, &SearchTruth<true>, &DrawSearch<true>, false),
};

}  // namespace aclimb::search_sorted
