#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::embedding_bag {

// So many elements of rows are added up at once: they and their sums stay in the first cache.
inline constexpr int64_t kMostColumns = 256;

// Rows of a table that are added up, each the elements of one dtype beside each other.
struct Terms {
  const void* table;
  int64_t step;  // in bytes, from row to row
  const int64_t* rows = nullptr;
  const int64_t* later = nullptr;  // what is prefetched beside each, which need not be a row
  const float* factors = nullptr;
  int64_t count = 0;
  float divisor = 1;     // AddRows() divides their sum by it
  void* sums = nullptr;  // where AddRows() writes
};

// For each of so many bags: sums[i] = the sum of factor * row[i], in the order of the rows, divided
// and rounded to their dtype, float32 or a half type.
void AddRows(DType dtype, const Terms* bags, int64_t count, int64_t width);
// totals[i] += that sum in float32, or = it, if it is the first. Of kMostColumns elements at most.
void AddRowsToTotals(DType dtype, const Terms& terms, int64_t width, bool first, double* totals);
// largest[i] = the largest of what it is, or of nothing if they are the first, and of the i-th
// elements of rows, of which there is one at least; which[i] = the first row that has it, or -1 if
// none is larger. A NaN is kept where it comes first and passed over elsewhere.
void FindLargest(DType dtype, const Terms& terms, int64_t width, bool first, float* largest,
                 int32_t* which);

}  // namespace aclimb::embedding_bag
