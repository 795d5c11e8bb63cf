#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::embedding_bag {

// So many elements of rows are added up at once: they and their sums stay in the first cache.
inline constexpr int64_t kMostColumns = 256;

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
// totals[i] += that sum, or = it, if it is the first. Of kMostColumns elements at most.
void AddRowsToTotals(DType dtype, const Terms& terms, int64_t width, bool first, double* totals);

}  // namespace aclimb::embedding_bag
