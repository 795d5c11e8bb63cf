#pragma once

#include "aclimb/ops/search_sorted/contracts.h"
#include "aclimb/ops/search_sorted/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::search_sorted {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnSearchSortedGetWorkspaceSize)>(
        tensor::kContract, &SearchTruth<false>, &DrawSearch<false>),
    truth::Entry<decltype(aclnnSearchSortedsGetWorkspaceSize)>(
        number::kContract, &SearchTruth<true>, &DrawSearch<true>),
};

}  // namespace aclimb::search_sorted
