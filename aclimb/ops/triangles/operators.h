#pragma once

#include "aclimb/ops/triangles/contracts.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::triangles {

// Diagonals of -3 to 0 too: DrawFromContract draws from 0 to 3 alone.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  truth::DrawFromContract(draw, call);
  call.SetInteger(kDiagonal, draw.Below(9) - 4);
}

template <bool kLower, int kOutput>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const auto value = [&](const std::vector<int64_t>& index) {
    const int64_t row = index[index.size() - 2], column = index[index.size() - 1];
    const int64_t behind = column - row - call.Integer(kDiagonal);
    const bool stays = kLower ? behind <= 0 : behind >= 0;
    return stays ? truth::ValueAt(call, kSelf, index) : 0.0;
  };
  outputs.Set(kOutput, truth::EachIndex(call.Shape(kSelf), value), truth::Allowance{});
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnTrilGetWorkspaceSize)>(kTril, &Truth<true, kOut>, &DrawCall),
    truth::Entry<decltype(aclnnInplaceTrilGetWorkspaceSize)>(kInplaceTril, &Truth<true, kSelf>,
                                                             &DrawCall),
    truth::Entry<decltype(aclnnTriuGetWorkspaceSize)>(kTriu, &Truth<false, kOut>, &DrawCall),
    truth::Entry<decltype(aclnnInplaceTriuGetWorkspaceSize)>(kInplaceTriu, &Truth<false, kSelf>,
                                                             &DrawCall),
};

}  // namespace aclimb::triangles
