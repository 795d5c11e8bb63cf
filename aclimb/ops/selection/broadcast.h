#pragma once

#include "aclimb/core/tensor_view.h"

namespace aclimb::selection {

// The view with the shape of a larger one, which it broadcasts to.
inline TensorView BroadcastTo(const TensorView& view, const TensorView& larger) {
  TensorView wide = larger;
  wide.data = view.data;
  wide.dtype = view.dtype;
  const int skip = larger.rank - view.rank;
  for (int d = 0; d < larger.rank; ++d) {
    const bool repeats = d < skip || view.shape[d - skip] == 1;
    wide.stride[d] = repeats ? 0 : view.stride[d - skip];
  }
  return wide;
}

}  // namespace aclimb::selection
