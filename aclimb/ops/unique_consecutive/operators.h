#pragma once

#include "aclimb/ops/unique_consecutive/contract.h"
#include "aclimb/ops/unique_consecutive/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::unique_consecutive {

inline constexpr truth::OperatorEntry kOperators[] = {[] {
  auto entry = truth::Entry<decltype(aclnnUniqueConsecutiveGetWorkspaceSize)>(kContract, &Truth,
                                                                              &DrawUnique);
  entry.sizes_output = true;
  return entry;
}()};

}  // namespace aclimb::unique_consecutive
