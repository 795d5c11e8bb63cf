#pragma once

#include <cstdint>

#include "aclimb/copy/copy.h"
#include "aclimb/executor/plan.h"

namespace aclimb::pieces {

// Indices as kernels read them: INT64 and one after the other, in workspace if they are not.
class DenseIndex {
 public:
  DenseIndex() = default;
  DenseIndex(Planner& planner, const TensorView& index)
      : copies_(index.dtype != DType::kInt64 || !index.IsContiguous()) {
    if (copies_) piece_ = planner.workspace().Book(index.ElementCount(), sizeof(int64_t));
  }

  // Null when the run was cancelled.
  const int64_t* Get(const RunContext& run, int parameter) const {
    const TensorView index = run.View(parameter);
    if (!copies_) return index.As<const int64_t>();
    TensorView dense = DenseLike(index, run.Piece(piece_));
    dense.dtype = DType::kInt64;
    return copy::Copy(index, dense) ? dense.As<const int64_t>() : nullptr;
  }

 private:
  bool copies_ = false;
  WorkspacePiece piece_;
};

}  // namespace aclimb::pieces
