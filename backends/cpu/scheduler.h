#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

struct AclimbQueue;

namespace aclimb::cpu {

// Queues of one context. A failure in a queue that stops on failure stops them all.
struct QueueGroup {
  int stop_error = 0;
};

// What the engines of all devices share. One lock guards every queue, marker and engine: sections
// under it are short and run no task, and an event may order the queues of two devices without a
// lock order to respect. Never destroyed: threads outlive main.
class Scheduler {
 public:
  static Scheduler& Get();

  std::mutex mutex;

  // Numbers every submitted task of the process. A block freed at ticket t may be reused once every
  // task with a smaller ticket is done.
  uint64_t NextTicket() { return next_ticket_.fetch_add(1, std::memory_order_relaxed); }
  // The smallest ticket of a task that is not done; all ones when there is none.
  uint64_t OldestUnfinished();

  // ---- Under the lock ----
  void Add(std::shared_ptr<AclimbQueue> queue) { queues_.push_back(std::move(queue)); }
  void Remove(const AclimbQueue* queue);
  const std::vector<std::shared_ptr<AclimbQueue>>& queues() const { return queues_; }
  std::shared_ptr<QueueGroup> GroupOf(uint64_t id);
  void TaskAdded() { unfinished_.fetch_add(1, std::memory_order_relaxed); }
  void TasksDone(uint64_t count) { unfinished_.fetch_sub(count, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> next_ticket_{1};
  std::atomic<uint64_t> unfinished_{0};
  std::vector<std::shared_ptr<AclimbQueue>> queues_;
  std::map<uint64_t, std::weak_ptr<QueueGroup>> groups_;
};

}  // namespace aclimb::cpu
