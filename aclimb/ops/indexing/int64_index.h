#pragma once

#include <cstdint>

#include "aclimb/copy/copy.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/lines.h"
#include "aclimb/executor/plan.h"

namespace aclimb::indexing {

// Indices as kernels read them: where they are if they are INT64, else converted in workspace.
class Int64Index {
 public:
  Int64Index() = default;
  Int64Index(Planner& planner, const TensorView& index)
      : view_(index.dtype == DType::kInt64 ? index : DenseLike(index, nullptr)),
        converts_(index.dtype != DType::kInt64) {
    if (converts_) piece_ = planner.workspace().Book(index.ElementCount(), sizeof(int64_t));
  }

  // How they lie, without an address.
  const TensorView& view() const { return view_; }

  // Null when the run was cancelled.
  const int64_t* Get(const RunContext& run, int parameter) const {
    const TensorView index = run.View(parameter);
    if (!converts_) return index.As<const int64_t>();
    TensorView dense = DenseLike(index, run.Piece(piece_));
    dense.dtype = DType::kInt64;
    return copy::Copy(index, dense) ? dense.As<const int64_t>() : nullptr;
  }

 private:
  TensorView view_;
  bool converts_ = false;
  WorkspacePiece piece_;
};

}  // namespace aclimb::indexing
