#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::embedding_bag {

// Rows that are added up, each the elements of one dtype beside each other.
struct Terms {
  const void* const* rows;
  // What is prefetched beside each, a few lines at a time: processors drop more.
  const void* const* later;
  const float* factors;
  int64_t count;
};

// sums[i] = the sum of factor * row[i], in the order of the rows. Of float32 or a half type.
void AddRows(DType dtype, const Terms& terms, int64_t width, float* sums);

}  // namespace aclimb::embedding_bag
