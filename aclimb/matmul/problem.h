#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

// A product of matrices, batch by batch:
//   out[b, m, n] = beta * self[b, m, n] + alpha * sum over k of a[b, m, k] * b[b, k, n]
namespace aclimb::matmul {

inline constexpr int kMostBatchDims = kMaxRank - 1;

// How an operand lies in memory: elements from one place to the next. A dimension that is repeated
// has 0.
struct Operand {
  DType dtype = DType::kUndefined;
  int64_t batch[kMostBatchDims] = {};
  int64_t row = 0;
  int64_t column = 0;

  int64_t Size() const { return static_cast<int64_t>(SizeOf(dtype)); }
};

// Whether own kernels read elements of this dtype as float32.
inline bool IsReadAsFloat(DType dtype) { return dtype == DType::kFloat32 || IsHalf(dtype); }

struct Problem {
  int batch_rank = 0;
  int64_t batch[kMostBatchDims] = {};  // outermost first
  int64_t m = 0, n = 0, k = 0;
  Operand a, b, out;
  Operand self = {};  // of no dtype where there is none

  bool HasSelf() const { return self.dtype != DType::kUndefined; }
  int64_t Batches() const {
    int64_t count = 1;
    for (int d = 0; d < batch_rank; ++d) count *= batch[d];
    return count;
  }
  // Elements from the first matrix of an operand to that of batch number `index`.
  int64_t OffsetOf(const Operand& operand, int64_t index) const {
    int64_t offset = 0;
    for (int d = batch_rank - 1; d >= 0; --d) {
      offset += index % batch[d] * operand.batch[d];
      index /= batch[d];
    }
    return offset;
  }
  double Work() const {
    return static_cast<double>(Batches()) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(k);
  }
};

// The last two dimensions of the views are matrices, those before broadcast to those of `out`.
//   self  null: none; all of its dimensions broadcast
Problem MakeProblem(const TensorView& a, const TensorView& b, const TensorView* self,
                    const TensorView& out);

// The same product as fewer and larger matrices: where one factor is the same for all of a batch,
// the others' rows, or columns, follow each other.
void MergeBatches(Problem& problem);

// The same product with rows for columns.
void Transpose(Problem& problem);

// The same product as a batch of rows, which any plan of vectors takes.
void SplitRows(Problem& problem);

}  // namespace aclimb::matmul
