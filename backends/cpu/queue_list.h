#pragma once

#include <cstddef>
#include <memory>

struct AclimbQueue;

namespace aclimb::cpu {

// Queues in line, each kept alive by the list. The links lie in the queues, so that no operation
// needs memory: the engine's thread could not report that it has none. A queue is in one list at a
// time, since it is either ready or blocked. Guarded by the scheduler's lock.
class QueueList {
 public:
  QueueList() = default;
  QueueList(const QueueList&) = delete;
  QueueList& operator=(const QueueList&) = delete;
  // Queues that are still in line are let go one by one.
  ~QueueList();

  bool empty() const { return head_ == nullptr; }
  void PushBack(std::shared_ptr<AclimbQueue> queue);
  // Null when there is none.
  std::shared_ptr<AclimbQueue> PopFront();
  // Nothing happens when the queue is not in this list.
  void Erase(const AclimbQueue* queue);

 private:
  std::shared_ptr<AclimbQueue> head_;
  AclimbQueue* tail_ = nullptr;
};

}  // namespace aclimb::cpu
