#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclimb/core/tensor_view.h"

namespace aclimb {

// Which dimension of a tensor an argument names: a negative one counts from the end. A tensor
// without dimensions counts as one of the shape [1]. The contract has refused all others.
template <typename Rank>
constexpr size_t WrapDimension(int64_t dim, Rank rank) {
  return static_cast<size_t>(dim < 0 ? dim + std::max<int64_t>(1, static_cast<int64_t>(rank))
                                     : dim);
}

// A view without dimensions as one of the shape [1].
inline TensorView WithRank(TensorView view) {
  if (view.rank > 0) return view;
  view.rank = 1;
  view.shape[0] = view.stride[0] = 1;
  return view;
}

// A view of a shape alone, row-major. Rank must be <= 8.
inline TensorView ViewOfShape(const std::vector<int64_t>& shape) {
  TensorView view;
  view.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), view.shape);
  return DenseLike(view, nullptr);
}

// The shape of `onto`, along which `view` repeats itself where it has no extent or one of 1.
inline TensorView BroadcastTo(const TensorView& view, const TensorView& onto) {
  TensorView wide = view;
  wide.rank = onto.rank;
  for (int d = 0; d < onto.rank; ++d) {
    const int own = d - (onto.rank - view.rank);
    wide.shape[d] = onto.shape[d];
    wide.stride[d] = own < 0 || view.shape[own] == 1 ? 0 : view.stride[own];
  }
  return wide;
}

}  // namespace aclimb
