#include "backends/cpu/scheduler.h"

#include <algorithm>

#include "aclimb/core/sanitized.h"
#include "backends/cpu/queue.h"

namespace aclimb::cpu {

Scheduler& Scheduler::Get() {
  static Scheduler* const scheduler = new Scheduler;
  return *scheduler;
}

uint64_t Scheduler::OldestMemoryUser() {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t oldest = ~uint64_t{0};
  if (unfinished_ == 0) return oldest;
  for (const auto& queue : queues_) {
    const auto user = queue->FirstMemoryUser();
    if (user != queue->tasks.end()) oldest = std::min(oldest, user->ticket);
  }
  return oldest;
}

Task& Scheduler::PushTask(TaskList& tasks, const Task& task) {
  if (spare_.empty()) {
    tasks.push_back(task);
  } else {
    spare_.front() = task;
    tasks.splice(tasks.end(), spare_, spare_.begin());
  }
  ++unfinished_;
  Task& added = tasks.back();
  added.ticket = NextTicket();
  next_ticket_.store(added.ticket + 1, std::memory_order_relaxed);
  return added;
}

void Scheduler::PopTask(TaskList& tasks) {
  if (kAddressSanitized || spare_.size() == kSpare) {
    tasks.pop_front();
  } else {
    spare_.splice(spare_.begin(), tasks, tasks.begin());
  }
}

void Scheduler::Remove(const AclimbQueue* queue) {
  const auto it = std::find_if(queues_.begin(), queues_.end(),
                               [queue](const auto& entry) { return entry.get() == queue; });
  if (it != queues_.end()) queues_.erase(it);
}

std::shared_ptr<QueueGroup> Scheduler::GroupOf(uint64_t id) {
  std::weak_ptr<QueueGroup>& entry = groups_[id];
  std::shared_ptr<QueueGroup> group = entry.lock();
  if (group == nullptr) {
    group = std::make_shared<QueueGroup>();
    entry = group;
  }
  std::erase_if(groups_, [](const auto& pair) { return pair.second.expired(); });
  return group;
}

}  // namespace aclimb::cpu
