#include "backends/cpu/scheduler.h"

#include <algorithm>

#include "backends/cpu/queue.h"

namespace aclimb::cpu {

Scheduler& Scheduler::Get() {
  static Scheduler* const scheduler = new Scheduler;
  return *scheduler;
}

uint64_t Scheduler::OldestUnfinished() {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t oldest = ~uint64_t{0};
  if (unfinished_.load(std::memory_order_relaxed) == 0) return oldest;
  for (const auto& queue : queues_) {
    if (!queue->tasks.empty()) oldest = std::min(oldest, queue->tasks.front().ticket);
  }
  return oldest;
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
