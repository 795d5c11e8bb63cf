#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl_rt.h"
#include "aclimb/bridge/collectives.h"
#include "aclimb/collectives/errors.h"
#include "aclimb/collectives/group.h"
#include "aclimb/collectives/link.h"
#include "aclimb/collectives/operation.h"
#include "aclimb/collectives/settings.h"
#include "aclimb/collectives/tool_view.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/quiet_thread.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

// What a program holds as HcclComm: one rank of a group, with the thread that performs its
// operations, one at a time, in the order of the calls.
class Communicator final : public Watcher, public std::enable_shared_from_this<Communicator> {
 public:
  struct Origin {
    std::string name;  // that HcclGetCommName returns
    std::string key;   // the same on all ranks, and of no other group of the process
    int32_t device = 0;
    Settings settings;
    bool split = false;  // made from another communicator
    // Of ranks that are processes:
    std::shared_ptr<Link> link;
    std::vector<uint32_t> ranks;  // by their numbers at the link
  };

  Communicator(std::unique_ptr<Group> group, Origin origin);
  ~Communicator() override;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  uint32_t rank() const { return group_->rank(); }
  uint32_t size() const { return group_->size(); }
  const Origin& origin() const { return origin_; }
  Group& group() { return *group_; }

  // Starts the threads. Without them, as it throws, nothing may be queued.
  void Start();
  // With ASCEND_LAUNCH_BLOCKING=1 waits for the stream of an operation.
  Status Await(aclrtStream stream);
  // Queues the operation on the stream.
  Status Queue(Operation operation, std::unique_ptr<ToolView> view, aclrtStream stream);
  // Waits until nothing is queued any more, but not long for what gets nowhere, and ends the
  // threads.
  void Close();
  // HCCL_SUCCESS while all is well.
  HcclResult AsyncError();
  // Whether the process was forked since the communicator was made, whose threads stayed behind.
  bool IsLost() const { return forks_ != ForkCount(); }

  // ---- Watcher ----
  void RankGone(uint32_t rank, const std::string& why) override;
  void RankLeft(uint32_t rank) override;
  void RankFailed(uint32_t rank, uint32_t code, const std::string& what) override;
  Stand WhereItStands() override;

 private:
  struct Queued {
    std::shared_ptr<Communicator> owner;
    Operation operation;
    std::unique_ptr<ToolView> view;
    std::thread::id caller;
    // Guarded by the communicator's mutex:
    bool reached = false;                         // the stream has come to the operation
    std::chrono::steady_clock::time_point since;  // it has
    bool dropped = false;  // the stream will not run it, or nobody gets its result
    bool refused = false;  // the stream did not take it
    AclimbSuspension* stop = nullptr;
    // Written before the stream goes on:
    HcclResult code = HCCL_SUCCESS;
    std::string text;
  };

  // A rank that has ended without having left.
  struct Gone {
    std::chrono::steady_clock::time_point since;
    Status why;
  };

  static void Reached(void* payload, AclimbSuspension* stop);
  static int Help(void* payload);
  static void Hurry(void* payload);
  static int Finish(void* payload);

  // Under both locks: the call was not made.
  void TakeBackLocked(const std::shared_ptr<Queued>& item);
  // Under the lock: the operation, if it still is in the queue, leaves it.
  void EraseLocked(const std::shared_ptr<Queued>& item);
  void Work();
  // Under the lock: the first of the queue, if its stream has come to it; once the communicator has
  // failed, the first that a stream has come to.
  std::shared_ptr<Queued> NextLocked() const;
  // Under the lock: while the next one cannot be done, the one whose stream has waited longest.
  std::shared_ptr<Queued> LongestWaitingLocked() const;
  // Under the lock, which is let go meanwhile: the next one, which nobody does, is done.
  void DoNext(std::unique_lock<std::mutex>& lock);
  void Perform(Queued& item);
  // Under the lock, which is let go meanwhile: an operation that its stream had come to has nobody
  // who gets its result.
  void Drop(const std::shared_ptr<Queued>& item, std::unique_lock<std::mutex>& lock);
  // The communicator has failed, on all ranks.
  void End(const Status& why);
  // The same without memory: the reason was made before.
  void EndUntold() noexcept;
  // Under the lock, which is let go meanwhile: what is queued gets nowhere.
  void Abandon(std::unique_lock<std::mutex>& lock);

  // ---- communicator_watch.cc ----
  void Observe();
  void ObserveLocked(std::unique_lock<std::mutex>& lock);
  // Under the lock, which is let go meanwhile: asks the others where they are.
  void AskOthers(std::unique_lock<std::mutex>& lock, std::string* suspected);
  // Under the lock: why what runs here and what runs there never meet, or nothing.
  std::string DifferenceLocked(const Stand& stand, bool* certain) const;
  // Under the lock: whether this rank's side of what the other one sends it, or receives from it,
  // has not been done.
  bool IsToComeLocked(uint32_t other, const Flow& theirs) const;
  // What a failure of the group comes from, as far as the other ranks can tell.
  Status Explain(const Operation& operation, Status failure, std::chrono::milliseconds took);
  // Under the lock: what was heard of the other ranks and explains a failure.
  Status HeardLocked(const Operation& operation, const std::string& here) const;
  // Under the lock: of the ranks that have gone and that the operation needs, the last one; or
  // none.
  const Gone* NeededLocked(const Operation& operation) const;
  // Under the lock: whether what was heard of the others ends what runs.
  bool ConcernedLocked() const;
  void NoteLeftLocked(const std::vector<Stand>& stands);
  std::string OthersStand(const Operation& operation, const std::vector<Stand>& stands) const;
  // Under the lock: nothing can be done any more.
  void FailLocked(Status why);
  Status FailureLocked() const;
  // The number in this group of a rank of the link; nothing when it is not in it.
  std::optional<uint32_t> Place(uint32_t at_link) const;

  const std::unique_ptr<Group> group_;
  const Origin origin_;
  const int forks_ = ForkCount();

  // Held while a call is numbered and queued, so that the streams have the calls in their order.
  std::mutex issue_mutex_;
  std::mutex mutex_;                                  // guards what follows
  std::condition_variable changed_;                   // for who closes, or waits to hear a reason
  std::condition_variable work_;                      // for the worker
  bool worker_looks_ = false;                         // it wakes by itself before long
  std::chrono::steady_clock::time_point busy_until_;  // since the last operation it looks by itself
  std::condition_variable look_;                      // for the observer
  bool observer_sleeps_ = false;                      // until it is told; else it looks by itself
  std::deque<std::shared_ptr<Queued>> queue_;
  // The one before the first of the queue has left it. A stream has HCCL_EXEC_TIMEOUT from then on
  // to come to the first while others wait behind it.
  std::chrono::steady_clock::time_point front_since_;
  size_t reached_ = 0;  // of the queue
  const Operation* running_ = nullptr;
  std::chrono::steady_clock::time_point running_since_;
  uint64_t runs_ = 0;                              // started
  uint64_t numbers_ = 0;                           // of collectives
  std::map<uint32_t, uint64_t> sends_, receives_;  // by peer
  uint64_t done_ = 0;                              // number of the last collective that ended
  bool closing_ = false;                           // nothing is taken any more
  bool stopping_ = false;                          // the threads end
  std::map<uint32_t, Gone> gone_;                  // by rank
  Status cause_;                                   // what the other ranks told, of deaths apart
  Status failure_;                                 // what ended this communicator
  Status no_memory_, no_memory_for_others_;        // to be told when there is none
  std::vector<uint32_t> left_;                     // ranks that have said good-bye

  std::optional<QuietThread> worker_;
  std::optional<QuietThread> observer_;  // of ranks that are processes
};

}  // namespace aclimb::collectives
