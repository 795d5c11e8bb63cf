#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb::gather_rows {

// self[..., index[k], ...] = source[..., k, ...], k and index[k] in dimension `dim`.
struct Replacement {
  TensorView self;                 // strided, rank 1 or more, elements of 1, 2, 4 or 8 bytes
  TensorView source;               // strided, as self but for dimension dim
  const int64_t* index = nullptr;  // one for each slice of source
  int dim = 0;
};

// Slices that self does not have are skipped; false when there are some. Of equal indices the last
// one counts, on any number of threads.
[[nodiscard]] bool Replace(const Replacement& replacement);

}  // namespace aclimb::gather_rows
