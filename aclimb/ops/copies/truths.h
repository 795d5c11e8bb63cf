#pragma once

#include "aclimb/ops/copies/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::copies {

// Every element of the output is the input's one at place(index), converted.
template <typename Place>
void SetMoved(const truth::Call& call, int in, int out, truth::Outputs& outputs, Place place) {
  const auto value = [&](const std::vector<int64_t>& index) {
    return truth::CastValue(truth::ValueAt(call, in, place(index)), call.DTypeOf(in),
                            call.DTypeOf(out));
  };
  outputs.Set(out, truth::EachIndex(call.Shape(out), value), truth::Allowance{});
}

namespace inplace_copy {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  SetMoved(call, kSrc, kSelfRef, outputs, [&](std::vector<int64_t> index) {
    const std::vector<int64_t>& shape = call.Shape(kSrc);
    index.erase(index.begin(), index.end() - static_cast<ptrdiff_t>(shape.size()));
    for (size_t d = 0; d < shape.size(); ++d) index[d] = shape[d] == 1 ? 0 : index[d];
    return index;
  });
}

}  // namespace inplace_copy

namespace cast {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  SetMoved(call, kSelf, kOut, outputs, [](const std::vector<int64_t>& index) { return index; });
}

}  // namespace cast

namespace permute {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  SetMoved(call, kSelf, kOut, outputs, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> place(index.size());
    const auto rank = static_cast<int64_t>(index.size());
    for (size_t i = 0; i < index.size(); ++i) {
      const int64_t dim = call.Ints(kDims)[i];
      place[static_cast<size_t>(dim < 0 ? dim + rank : dim)] = index[i];
    }
    return place;
  });
}

}  // namespace permute

}  // namespace aclimb::copies
