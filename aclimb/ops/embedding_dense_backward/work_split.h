#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/ops/embedding_dense_backward/index_sort.h"

namespace aclimb::embedding_dense_backward {

// The elements of the output, in row-major order, laid on a line by what they cost: a row costs one
// unit for its store and kIndexCost for each of its contributions. Equal stretches of the line are
// equal work; a row that fills many of them is cut between columns.
struct WorkLine {
  static constexpr int64_t kIndexCost = 4;

  SortedIndices sorted;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t column_grain = 1;  // cuts within a row fall on multiples of this

  int64_t Length() const { return rows + kIndexCost * sorted.count; }

  // The first element of stretch `part` of `parts`. Does not decrease with `part`; 0 for the first
  // and rows * columns for part == parts. Row boundaries only, unless `within_rows`.
  int64_t ElementAt(int64_t part, int64_t parts, bool within_rows) const {
    if (part >= parts) return rows * columns;
    const int64_t length = Length();
    // Not length * part / parts, which may overflow.
    const int64_t at = length / parts * part + length % parts * part / parts;
    // The last index whose row starts at or before `at`.
    int64_t low = 0;
    int64_t high = sorted.count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (StartOfIndex(middle) <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) return std::min(at, rows) * columns;
    const int64_t row = sorted.RowOf(low - 1);
    const int64_t first = sorted.LowerBound(row);
    const int64_t last = sorted.LowerBound(row + 1);
    const int64_t start = row + kIndexCost * first;
    const int64_t cost = 1 + kIndexCost * (last - first);
    if (at >= start + cost) return std::min(rows, row + 1 + (at - start - cost)) * columns;
    if (!within_rows) return row * columns;
    const int64_t column = static_cast<int64_t>(
        static_cast<double>(at - start) / static_cast<double>(cost) * static_cast<double>(columns));
    const int64_t nearest = (column + column_grain / 2) / column_grain * column_grain;
    return row * columns + std::min(columns, nearest);
  }

 private:
  int64_t StartOfIndex(int64_t i) const { return sorted.RowOf(i) + kIndexCost * i; }
};

}  // namespace aclimb::embedding_dense_backward
