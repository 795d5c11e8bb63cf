#pragma once

#include <algorithm>

#include "aclimb/core/tensor_view.h"

namespace aclimb {

// The dimensions but one: where the lines along that one begin.
inline TensorView Without(const TensorView& view, int dim) {
  TensorView rest = view;
  for (int d = dim; d + 1 < view.rank; ++d) {
    rest.shape[d] = view.shape[d + 1];
    rest.stride[d] = view.stride[d + 1];
  }
  rest.rank = std::max(0, view.rank - 1);
  return rest;
}

// All elements of a dense view, in row-major order, as one dimension.
inline TensorView AsOneLine(const TensorView& view) {
  TensorView line = view;
  line.rank = 1;
  line.shape[0] = view.ElementCount();
  line.stride[0] = 1;
  return line;
}

}  // namespace aclimb
