#pragma once

#include "aclimb/ops/repeats/contracts.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::repeats {

// Expand and Repeat: every dimension of self begins anew.
inline void RepeatTruth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& shape = call.Shape(repeat::kSelf);
  const auto value = [&](std::vector<int64_t> index) {
    index.erase(index.begin(), index.end() - static_cast<ptrdiff_t>(shape.size()));
    for (size_t d = 0; d < shape.size(); ++d) index[d] %= shape[d];
    return truth::ValueAt(call, repeat::kSelf, index);
  };
  outputs.Set(repeat::kOut, truth::EachIndex(call.Shape(repeat::kOut), value), truth::Allowance{});
}

inline void InterleaveTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace interleave;  // NOLINT: the positions
  const size_t rank = call.Shape(kSelf).size();
  const auto value = [&](std::vector<int64_t> index) {
    index[Dimension(call.Integer(kDim), index.size())] /= call.Integer(kRepeats);
    index.resize(rank);
    return truth::ValueAt(call, kSelf, index);
  };
  outputs.Set(kOut, truth::EachIndex(call.Shape(kOut), value), truth::Allowance{});
}

}  // namespace aclimb::repeats
