#pragma once

#include <algorithm>

#include "aclimb/core/tensor_view.h"

namespace aclimb::gather_rows {

// The dimensions [first, first + rank) of a view.
inline TensorView Part(const TensorView& view, int first, int rank) {
  TensorView part;
  part.rank = rank;
  std::copy_n(view.shape + first, rank, part.shape);
  std::copy_n(view.stride + first, rank, part.stride);
  return part;
}

}  // namespace aclimb::gather_rows
