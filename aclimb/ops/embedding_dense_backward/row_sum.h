#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/embedding_dense_backward/index_sort.h"

namespace aclimb::embedding_dense_backward {

// Rows that are added up in float32, one after the other; the sums of such blocks are added in
// double, so that a long sum is as good as a short one. Equal terms are off by up to 4e-6 of their
// sum (totals-inl.h): less than half of what float32 results are allowed. Each halving of the
// block doubles what the doubles cost, which is 0.4 percent of the instructions where all indices
// are equal.
inline constexpr int64_t kBlockRows = 256;

// Where row `position` of grad starts: its leading dimensions merged as far as their strides allow,
// outermost first.
struct RowOffsets {
  int rank = 1;
  int64_t extent[kMaxRank] = {1};
  int64_t stride[kMaxRank] = {};

  static RowOffsets Of(const TensorView& grad);
  int64_t At(int64_t position) const {
    int64_t offset = 0;
    for (int d = rank - 1; d > 0; --d) {
      offset += position % extent[d] * stride[d];
      position /= extent[d];
    }
    return offset + position * stride[0];
  }
};

// One band of the table and everything that says what its rows are.
struct RowSumJob {
  TensorView grad;  // the last stride is 1, or the last extent
  RowOffsets offsets;
  SortedIndices sorted;
  TensorView out;  // [rows of the band, columns]
  bool scale_by_freq = false;
  bool stream = false;  // out will not stay in the cache: store around it
};

// Writes the elements [begin, end) of out, counted row-major: sums of the rows of grad in the order
// of their positions and in blocks, zeros where there are none.
void SumRows(const RowSumJob& job, int64_t begin, int64_t end);

}  // namespace aclimb::embedding_dense_backward
