#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>

#include "aclimb/backend/backend.h"

namespace aclimb::cpu {

// The oldest failed tasks of a queue that nobody has asked for yet. Later ones are not kept when it
// is full: the first failure is the one to look at, and noting one must not need memory.
class FailureLog {
 public:
  FailureLog() = default;
  FailureLog(const FailureLog&) = delete;
  FailureLog& operator=(const FailureLog&) = delete;
  ~FailureLog() { Clear(); }

  // Takes the failure's text over.
  void Add(const AclimbTaskFailure& failure) {
    if (count_ == entries_.size()) {
      std::free(failure.why);
      return;
    }
    entries_[(first_ + count_) % entries_.size()] = failure;
    ++count_;
  }
  // The oldest, whose text is the caller's then; false when there is none.
  bool Take(AclimbTaskFailure* failure) {
    if (count_ == 0) return false;
    *failure = entries_[first_];
    first_ = (first_ + 1) % entries_.size();
    --count_;
    return true;
  }
  void Clear() {
    for (AclimbTaskFailure failure; Take(&failure);) std::free(failure.why);
  }

 private:
  std::array<AclimbTaskFailure, 64> entries_;
  size_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace aclimb::cpu
