#pragma once

#include "aclimb/ops/softshrink/contract.h"
#include "aclimb/ops/softshrink/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::softshrink {

inline constexpr truth::InPlace kInPlace[] = {{kOut, kSelf}};
inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnSoftshrinkGetWorkspaceSize)>(kContract, &Truth,
                                                            &truth::DrawFromContract, kInPlace)};

}  // namespace aclimb::softshrink
