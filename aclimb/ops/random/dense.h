#pragma once

#include "aclimb/copy/copy.h"
#include "aclimb/executor/plan.h"

namespace aclimb::random {

// A tensor whose elements are wanted one after the other in row-major order: itself where it lies
// so, else a copy in the workspace.
class Dense {
 public:
  Dense(int parameter, const TensorView& view, Planner& planner)
      : parameter_(parameter), is_own_(view.IsContiguous()) {
    if (!is_own_) {
      copy_ =
          planner.workspace().Book(view.ElementCount(), static_cast<int64_t>(SizeOf(view.dtype)));
    }
  }

  void* Data(const RunContext& run) const {
    return is_own_ ? run.Data(parameter_) : run.Piece<>(copy_);
  }
  // Of an input, before it is read. False when the run was cancelled.
  [[nodiscard]] bool Load(const RunContext& run) const {
    return is_own_ || copy::Copy(run.View(parameter_), DenseView(run));
  }
  // Of an output, after it is written.
  void Store(const RunContext& run) const {
    if (!is_own_) (void)copy::Copy(DenseView(run), run.View(parameter_));
  }

 private:
  TensorView DenseView(const RunContext& run) const {
    return DenseLike(run.View(parameter_), run.Piece<>(copy_));
  }

  int parameter_;
  bool is_own_;
  WorkspacePiece copy_;
};

}  // namespace aclimb::random
