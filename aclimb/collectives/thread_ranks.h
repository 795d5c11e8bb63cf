#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/collectives/errors.h"
#include "aclimb/collectives/forming.h"
#include "aclimb/collectives/group.h"
#include "aclimb/collectives/operation.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

class ThreadRanks;

// Groups that not all of their ranks have joined yet. They live here too, so that who comes late
// learns who has left.
class Meetings {
 public:
  // The group of all that name the key and the same ranks.
  //   place   of the caller in `ranks`
  //   errors  HCCL_E_PARA the ranks disagree (FindForming()); neither group is of use then
  //           what else the group has failed with already
  Result<std::shared_ptr<ThreadRanks>> Join(const std::string& key,
                                            const std::vector<uint32_t>& ranks, uint32_t place);

 private:
  struct Open : Forming {
    std::shared_ptr<ThreadRanks> group;
  };
  std::multimap<std::string, Open> open_;  // groups of other lists may have the same key
};

// What ranks that are threads of one process share.
class ThreadRanks {
 public:
  explicit ThreadRanks(uint32_t size);

  uint32_t size() const { return static_cast<uint32_t>(here_.size()); }
  // Of no other one of the process.
  uint64_t number() const { return number_; }

  // All ranks have come with operations that agree; until they part they may use each other's.
  Status Meet(uint32_t rank, const Operation& operation);
  // All ranks have done their part, which they do whatever happens meanwhile. Without memory one
  // cannot; then nobody has a result.
  Status Part(bool done);
  const Operation& of(uint32_t rank) const { return *here_[rank]; }

  Status RunTransfers(uint32_t rank, const Operation& operation);

  Result<std::shared_ptr<ThreadRanks>> Split(const std::string& key,
                                             const std::vector<uint32_t>& ranks, uint32_t place) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return splits_.Join(key, ranks, place);
  }
  Status Failure() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return FailureLocked();
  }
  void Fail(Status why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    FailLocked(std::move(why));
  }
  void RankLeaves(uint32_t rank) {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_[rank] = true;
    changed_.notify_all();
  }

 private:
  // A send that waits for its receiver.
  struct Offer {
    const Transfer* transfer;
    bool taken = false;  // the receiver copies
    bool done = false;
  };
  using Pair = std::pair<uint32_t, uint32_t>;  // from, to

  void FailLocked(Status why) {
    if (failure_.ok()) failure_ = std::move(why);
    changed_.notify_all();
  }
  Status FailureLocked() const { return CopyOf(failure_); }
  // Whether all that are here agree.
  Status Compare() const;
  // Waits until ready() or until it is clear that this will not be.
  //   deadline  of the rank's operation
  //   needed    gives the ranks that are waited for
  template <typename Ready, typename Needed>
  Status WaitFor(std::unique_lock<std::mutex>& lock, uint32_t rank, const Operation& operation,
                 Group::Deadline deadline, Ready ready, Needed needed);
  // Under the lock: why nothing comes any more of an operation that waits for the rank; Ok when it
  // may still come.
  Status WhyInVain(uint32_t rank, const Operation& operation, uint32_t awaited) const;
  // Under the lock, which is let go meanwhile: receives the first that the peer offers.
  Status Take(std::unique_lock<std::mutex>& lock, uint32_t rank, const Operation& operation,
              const Transfer& transfer);
  // Under the lock, which is let go meanwhile: nobody finds the rank's offers any more.
  void Withdraw(std::unique_lock<std::mutex>& lock, uint32_t rank, std::vector<Offer>* offers);

  const uint64_t number_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<const Operation*> here_;  // null: has not come; of collectives alone
  std::vector<bool> left_;
  uint32_t come_ = 0;
  uint64_t meetings_ = 0;
  bool agreed_ = true;  // of the last meeting
  uint32_t parted_ = 0;
  bool incomplete_ = false;  // of those that part
  bool in_vain_ = false;     // of the last parting
  uint64_t partings_ = 0;
  uint32_t transferring_ = 0;  // ranks in RunTransfers
  Status failure_;
  std::map<Pair, std::deque<Offer*>> offers_;
  Meetings splits_;
};

}  // namespace aclimb::collectives
