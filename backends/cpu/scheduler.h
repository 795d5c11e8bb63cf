#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cpu/task.h"

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
  // A fork waits for the task that runs: no other begins.
  std::atomic<bool> fork_waits{false};

  // The ticket of the next task that is submitted, in whichever queue of the process. A block freed
  // at ticket t may be reused once every task with a smaller ticket that uses memory is done.
  uint64_t NextTicket() const { return next_ticket_.load(std::memory_order_relaxed); }
  // The smallest ticket of a task that uses memory and is not done; all ones when there is none.
  uint64_t OldestMemoryUser();

  // ---- Under the lock ----
  void Add(std::shared_ptr<AclimbQueue> queue) { queues_.push_back(std::move(queue)); }
  void Remove(const AclimbQueue* queue);
  const std::vector<std::shared_ptr<AclimbQueue>>& queues() const { return queues_; }
  std::shared_ptr<QueueGroup> GroupOf(uint64_t id);
  // Appends a copy with a ticket of its own. Throws without memory, and nothing changed.
  Task& PushTask(TaskList& tasks, const Task& task);
  // Removes the first one. Its node waits for the next task, so that a program in its stride takes
  // nothing from the heap.
  void PopTask(TaskList& tasks);
  // Of a task that was pushed.
  void TaskDone() { --unfinished_; }

 private:
  static constexpr size_t kSpare = 64;

  std::atomic<uint64_t> next_ticket_{1};  // changed under the lock
  uint64_t unfinished_ = 0;
  TaskList spare_;
  std::vector<std::shared_ptr<AclimbQueue>> queues_;
  std::map<uint64_t, std::weak_ptr<QueueGroup>> groups_;
};

}  // namespace aclimb::cpu
