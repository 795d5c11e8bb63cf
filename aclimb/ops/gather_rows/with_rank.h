#pragma once

#include <algorithm>

#include "aclimb/core/tensor_view.h"

namespace aclimb::gather_rows {

// Rank 0 counts as [1].
inline TensorView WithRank(TensorView view) {
  if (view.rank > 0) return view;
  view.rank = 1;
  view.shape[0] = view.stride[0] = 1;
  return view;
}
inline int DimensionOf(int64_t dim, int rank) {
  return static_cast<int>(dim < 0 ? dim + std::max(1, rank) : dim);
}

}  // namespace aclimb::gather_rows
