#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "aclimb/core/descriptor.h"
#include "aclimb/core/dimensions.h"

namespace aclimb::indexing {

// Rank 0 counts as [1].
inline std::vector<int64_t> OrOne(std::vector<int64_t> shape) {
  if (shape.empty()) shape = {1};
  return shape;
}

// How callers pass that a dimension has no indices; also the shape of indices without entries.
inline bool LeavesDimension(const std::vector<int64_t>& shape) {
  return shape == std::vector<int64_t>{0};
}

// What a list of indices selects from a shape.
class Selection {
 public:
  Selection(const std::vector<int64_t>& self, const std::vector<TensorDescriptor>& indices) {
    if (indices.size() > self.size()) {
      fault_ = "at most as many tensors as there are dimensions";
      return;
    }
    const bool some =
        std::any_of(indices.begin(), indices.end(),
                    [](const TensorDescriptor& index) { return !LeavesDimension(index.shape); });
    for (size_t d = 0; d < self.size(); ++d) {
      // torch_npu passes whole dimensions with the dtype of self, which may be that of indices. It
      // passes indices that broadcast to one shape: none has entries, or all that are indices have.
      const bool whole = d >= indices.size() || (LeavesDimension(indices[d].shape) &&
                                                 (some || IsFloating(indices[d].dtype)));
      if (whole) {
        rest_.push_back(static_cast<int>(d));
        continue;
      }
      nothing_ = nothing_ || LeavesDimension(indices[d].shape);
      indexed_.push_back(static_cast<int>(d));
      if (!Broadcast(indices[d].shape)) {
        fault_ = "shapes that broadcast";
        return;
      }
    }
    // In front if something stands between the indexed dimensions.
    if (!indexed_.empty()) {
      const int count = static_cast<int>(indexed_.size());
      if (indexed_.back() - indexed_.front() + 1 == count) first_ = indexed_.front();
    }
    for (const int d : rest_) shape_.push_back(self[static_cast<size_t>(d)]);
    shape_.insert(shape_.begin() + first_, selected_.begin(), selected_.end());
    if (shape_.size() > 8) fault_ = "at most 8 dimensions in what they select";
  }

  // What is wrong with the indices; null if nothing is.
  const char* fault() const { return fault_; }
  // Of the result.
  const std::vector<int64_t>& shape() const { return shape_; }
  // What the indices broadcast to, which begins at dimension `first` of the result.
  const std::vector<int64_t>& selected() const { return selected_; }
  int first() const { return first_; }
  // The dimensions of self that have indices, and all others.
  const std::vector<int>& indexed() const { return indexed_; }
  const std::vector<int>& rest() const { return rest_; }
  // Whether indices without entries select nothing. The rest of the shape is then uncertain.
  bool nothing() const { return nothing_; }

 private:
  bool Broadcast(const std::vector<int64_t>& other) {
    if (other.size() > selected_.size()) {
      selected_.insert(selected_.begin(), other.size() - selected_.size(), 1);
    }
    const size_t skip = selected_.size() - other.size();
    for (size_t d = 0; d < other.size(); ++d) {
      int64_t& extent = selected_[skip + d];
      if (extent == 1) extent = other[d];
      if (other[d] != 1 && other[d] != extent) return false;
    }
    return true;
  }

  const char* fault_ = nullptr;
  bool nothing_ = false;
  int first_ = 0;
  std::vector<int64_t> selected_;
  std::vector<int64_t> shape_;
  std::vector<int> indexed_;
  std::vector<int> rest_;
};

}  // namespace aclimb::indexing
