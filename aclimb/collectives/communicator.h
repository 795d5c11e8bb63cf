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
    std::string name;     // the same on all ranks, as the program asked for it or not
    std::string channel;  // the group's own at the link
    int32_t device = 0;
    Settings settings;
    bool split = false;  // made from another communicator
    // Of ranks that are processes:
    std::shared_ptr<Link> link;
    std::vector<uint32_t> ranks;  // by their numbers at the link
  };

  Communicator(std::unique_ptr<Group> group, Origin origin);
  ~Communicator() override;  // closed
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  uint32_t rank() const { return group_->rank(); }
  uint32_t size() const { return group_->size(); }
  const Origin& origin() const { return origin_; }
  Group& group() { return *group_; }

  // Queues the operation on the stream.
  Status Queue(Operation operation, std::unique_ptr<ToolView> view, aclrtStream stream);
  // Waits until nothing is queued any more, and ends the threads.
  void Close();
  // HCCL_SUCCESS while all is well.
  HcclResult AsyncError();
  // Whether the process was forked since the communicator was made, whose threads stayed behind.
  bool IsLost() const { return forks_ != ForkCount(); }

  // ---- Watcher ----
  void RankGone(uint32_t rank, const std::string& why) override;
  void RankLeft(uint32_t rank) override;
  void RankFailed(uint32_t rank, const std::string& what) override;
  Stand WhereItStands() override;

 private:
  struct Queued {
    std::shared_ptr<Communicator> owner;
    Operation operation;
    std::unique_ptr<ToolView> view;
    std::thread::id caller;
    // Guarded by the communicator's mutex:
    bool reached = false;
    bool dropped = false;
    bool refused = false;  // the stream did not take it
    AclimbSuspension* stop = nullptr;
    // Written before the stream goes on:
    HcclResult code = HCCL_SUCCESS;
    std::string text;
  };

  static void Reached(void* payload, AclimbSuspension* stop);
  static int Finish(void* payload, const char** text);

  // Under both locks: the call was not made.
  void TakeBackLocked(const std::shared_ptr<Queued>& item);
  void Work();
  void Observe();
  void Perform(Queued& item);
  // What a failure of the group comes from, as far as the other ranks can tell.
  Status Explain(const Operation& operation, Status failure, std::chrono::milliseconds took);
  // Under the lock: what was heard of the other ranks and explains a failure.
  Status HeardLocked(const std::string& here) const;
  std::string OthersStand(const std::vector<Stand>& stands) const;
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
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Queued>> queue_;
  const Operation* running_ = nullptr;
  std::chrono::steady_clock::time_point running_since_;
  uint64_t numbers_ = 0;                           // of collectives
  std::map<uint32_t, uint64_t> sends_, receives_;  // by peer
  uint64_t done_ = 0;                              // number of the last collective that ended
  bool stopping_ = false;
  Status cause_;                // what was heard of the other ranks
  Status failure_;              // what ended this communicator
  std::vector<uint32_t> left_;  // ranks that have said good-bye

  std::optional<QuietThread> worker_;
  std::optional<QuietThread> observer_;  // of ranks that are processes
};

}  // namespace aclimb::collectives
