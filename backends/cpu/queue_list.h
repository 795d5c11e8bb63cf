#pragma once

struct AclimbQueue;

namespace aclimb::cpu {

// Queues in line. The links lie in the queues, so that no operation needs memory: the engine's
// thread could not report that it has none. A queue is in one list at a time, since it is either
// ready or blocked, and only while it has a task: the scheduler keeps it that long. Guarded by the
// scheduler's lock.
class QueueList {
 public:
  QueueList() = default;
  QueueList(const QueueList&) = delete;
  QueueList& operator=(const QueueList&) = delete;

  void PushBack(AclimbQueue* queue);
  // Null when there is none.
  AclimbQueue* PopFront();
  // Nothing happens when the queue is not in this list.
  void Erase(const AclimbQueue* queue);

 private:
  AclimbQueue* head_ = nullptr;
  AclimbQueue* tail_ = nullptr;
};

}  // namespace aclimb::cpu
