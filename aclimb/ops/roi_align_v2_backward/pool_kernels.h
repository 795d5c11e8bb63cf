#pragma once

#include <cstdint>

namespace aclimb::roi_align_v2_backward {

inline constexpr int64_t kMostPoolLanes = 16;

// A row of the map that a bin reads: elements from the plane's first one, and how much of it.
struct RowSample {
  float weight;
  int64_t offset;
};

// Bins of a vector read columns [first, last) of those that are listed.
struct ColumnRange {
  int32_t first;
  int32_t last;
};

// How much of each listed column each bin reads: weights[column * row + bin], of which whole
// vectors are there, with zeros behind the last bin.
struct ColumnWeights {
  const float* weights;
  int64_t row;
  const ColumnRange* ranges;  // one for each vector of bins
  int64_t bins;
};

// Made for the instruction set in use.
struct PoolKernels {
  int64_t lanes;  // of a vector, kMostPoolLanes at most
  // sums[k] = the sum over rows of weight * plane[offset + k], added to what is there if `add`, for
  // `columns` columns, and zeros as far as whole vectors reach. Meanwhile elements `ahead` further
  // on are fetched.
  void (*add_rows)(const float* plane, const RowSample* rows, int64_t count, int64_t columns,
                   int64_t ahead, bool add, float* sums);
  // pooled[bin] = the sum over columns of weight * sums[column], of whole vectors of bins. Returns
  // whether all are finite: a column that a bin does not read may have made it NaN.
  bool (*pool_columns)(const ColumnWeights& weights, const float* sums, float* pooled);
};

const PoolKernels& PoolKernelsInUse();

}  // namespace aclimb::roi_align_v2_backward
