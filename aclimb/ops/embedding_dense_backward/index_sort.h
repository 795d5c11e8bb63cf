#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb::embedding_dense_backward {

// The rows of the table that one sort covers. Usually all of them: a key holds a row and a position
// in 64 bits, and only enormous problems need several bands.
struct RowBand {
  int64_t first = 0;
  int64_t count = 0;
  int64_t skipped = -1;  // a row of the table whose indices are dropped; may lie anywhere
};

// Keys (row << position_bits | position) in ascending order, rows counted from the band's first.
struct SortedIndices {
  const uint64_t* keys = nullptr;
  int64_t count = 0;  // of the indices that name a row of the band
  int position_bits = 1;

  int64_t RowOf(int64_t i) const { return static_cast<int64_t>(keys[i] >> position_bits); }
  int64_t PositionOf(int64_t i) const {
    return static_cast<int64_t>(keys[i] & ((uint64_t{1} << position_bits) - 1));
  }
  // The first key whose row is not below `row`.
  int64_t LowerBound(int64_t row) const;
};

// The most rows that a band may have beside `index_count` positions.
int64_t MaxBandRows(int64_t index_count);

// Negative when that is past int64.
int64_t IndexSortScratchBytes(int64_t index_count, int64_t band_rows);

// Converts the indices (FLOAT, FLOAT16, DOUBLE towards zero; BOOL as 0 and 1; the integers as they
// are), drops those outside the band and sorts the rest. A radix sort: one parallel pass spreads
// the keys over buckets of neighbouring rows, which are then sorted in cache, independently.
// `scratch` is 8-byte aligned. False when the run was cancelled.
bool SortIndices(const TensorView& indices, const RowBand& band, void* scratch,
                 SortedIndices* sorted);

}  // namespace aclimb::embedding_dense_backward
