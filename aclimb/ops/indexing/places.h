#pragma once

#include <cstdint>

#include "aclimb/contract/arguments.h"
#include "aclimb/executor/plan.h"
#include "aclimb/ops/indexing/selection.h"
#include "aclimb/simd/walk.h"

namespace aclimb::indexing {

// Where the entries of a list of indices are in a tensor, and in a view with the shape that they
// select. Found anew by each run, in workspace.
class Places {
 public:
  // Dimensions of `list` name those of `self`; `selected` has the shape of the selection.
  Places(const contract::Arguments& arguments, Planner& planner, int list,
         const Selection& selection, const TensorView& self, const TensorView& selected);

  // Indices that the tensor does not have.
  static constexpr int64_t kNowhere = -1;

  // The analyzer takes the memory for one that nobody filled in.
  int64_t count() const { return count_; }  // NOLINT(clang-analyzer-core.uninitialized.*)
  // Entries [begin, end), on any thread.
  void Find(const RunContext& run, int64_t begin, int64_t end) const;
  // All. False when the run was cancelled.
  [[nodiscard]] bool Find(const RunContext& run) const;
  // Elements from the first one: of the tensor, or kNowhere; and of the view, null where entries
  // are ViewStep() apart and further than what they select.
  const int64_t* InTensor(const RunContext& run) const { return run.Piece<int64_t>(in_tensor_); }
  const int64_t* InView(const RunContext& run) const {
    return view_step_ != 0 ? nullptr : run.Piece<int64_t>(in_view_);
  }
  int64_t ViewStep() const { return view_step_; }

 private:
  // Indices for a dimension of the tensor, in the order of the entries.
  struct Indices {
    size_t element;  // of the list
    DType dtype;
    int64_t extent;
    int64_t step;
    Walk<2> walk;
  };
  // Replaces what was there, or adds to it.
  template <bool kAdds, typename T>
  static void Put(const Indices& indices, const T* data, int64_t begin, int64_t end,
                  int64_t* places);
  template <bool kAdds>
  void Put(const RunContext& run, const Indices& indices, int64_t begin, int64_t end) const;

  int list_;
  int64_t count_ = 1;
  int dimensions_ = 0;
  Indices indices_[kMaxRank];
  Walk<2> view_;
  int64_t view_step_ = 0;
  WorkspacePiece in_tensor_;
  WorkspacePiece in_view_;
};

// The dimensions of a view that a selection leaves, and those that stand for its entries.
TensorView RestOf(const TensorView& self, const Selection& selection);
TensorView RestOfSelected(const TensorView& selected, const Selection& selection);

}  // namespace aclimb::indexing
