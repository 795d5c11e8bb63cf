#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb::embedding_dense_backward {

// Gradient of an embedding table: row k of out is the sum, in the order of their positions and with
// an error that does not grow with their number, of the rows of grad whose index is k. Rows that no
// index names, and row padding_idx, are zero; indices outside the table are skipped.
struct Args {
  TensorView grad;     // [..., columns] FLOAT, FLOAT16 or BFLOAT16, strided
  TensorView indices;  // any shape, one element per row of grad; any real dtype but BFLOAT16
  TensorView out;      // [rows, columns], grad's dtypes, strided
  int64_t padding_idx = -1;
  bool scale_by_freq = false;  // divide every row by the number of its contributions
  void* scratch = nullptr;     // ScratchBytes, 64-byte aligned
};

// Where rows are added as they come (direct_sum.h), the sums. Else two arrays of sort keys, their
// histograms and, when the elements of a row of grad are not side by side, a dense copy of grad.
// Negative when that is past int64.
int64_t ScratchBytes(const TensorView& grad, const TensorView& indices, const TensorView& out);

// Gives the same bits for any number of threads and any instruction set.
//   source  the operator's document
void RunOnCpu(const Args& args);

// RunOnCpu by a sort, of at most `max_band_rows` rows of the table at a time; for tests. Otherwise
// only problems whose rows times indices pass 2^63 take several bands.
void RunInBands(const Args& args, int64_t max_band_rows);

}  // namespace aclimb::embedding_dense_backward
