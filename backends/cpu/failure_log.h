#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

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

  static constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();

  // Of the task with that number in its queue, which goes up. Takes the failure's text over.
  void Add(uint64_t task, const AclimbTaskFailure& failure) {
    if (count_ == entries_.size()) {
      std::free(failure.why);
      return;
    }
    entries_[(first_ + count_) % entries_.size()] = {task, failure};
    ++count_;
  }
  // The oldest, whose text is the caller's then; false when there is none of the tasks up to
  // `last`.
  bool Take(AclimbTaskFailure* failure, uint64_t last = kAll) {
    if (count_ == 0 || entries_[first_].task > last) return false;
    *failure = entries_[first_].failure;
    first_ = (first_ + 1) % entries_.size();
    --count_;
    return true;
  }
  void Clear() {
    for (AclimbTaskFailure failure; Take(&failure);) std::free(failure.why);
  }

  struct Entry {
    uint64_t task = 0;
    AclimbTaskFailure failure = {};
  };
  // The oldest behind task `last`; null when there is none.
  const Entry* FirstBehind(uint64_t last) const {
    for (size_t i = 0; i < count_; ++i) {
      const Entry& entry = entries_[(first_ + i) % entries_.size()];
      if (entry.task > last) return &entry;
    }
    return nullptr;
  }

 private:
  std::array<Entry, 64> entries_;
  size_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace aclimb::cpu
