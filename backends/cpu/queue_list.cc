#include "backends/cpu/queue_list.h"

#include "backends/cpu/queue.h"

namespace aclimb::cpu {

void QueueList::PushBack(AclimbQueue* queue) {
  queue->next_in_list = nullptr;
  (tail_ != nullptr ? tail_->next_in_list : head_) = queue;
  tail_ = queue;
}

AclimbQueue* QueueList::PopFront() {
  AclimbQueue* const first = head_;
  if (first == nullptr) return nullptr;
  head_ = first->next_in_list;
  if (head_ == nullptr) tail_ = nullptr;
  return first;
}

void QueueList::Erase(const AclimbQueue* queue) {
  AclimbQueue* before = nullptr;
  for (AclimbQueue* at = head_; at != nullptr; before = at, at = at->next_in_list) {
    if (at != queue) continue;
    (before != nullptr ? before->next_in_list : head_) = at->next_in_list;
    if (tail_ == at) tail_ = before;
    return;
  }
}

}  // namespace aclimb::cpu
