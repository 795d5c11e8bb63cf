#include "backends/cpu/queue_list.h"

#include <utility>

#include "backends/cpu/queue.h"

namespace aclimb::cpu {

QueueList::~QueueList() {
  while (!empty()) PopFront();
}

void QueueList::PushBack(std::shared_ptr<AclimbQueue> queue) {
  AclimbQueue* last = queue.get();
  (tail_ != nullptr ? tail_->next_in_list : head_) = std::move(queue);
  tail_ = last;
}

std::shared_ptr<AclimbQueue> QueueList::PopFront() {
  std::shared_ptr<AclimbQueue> first = std::move(head_);
  if (first == nullptr) return first;
  head_ = std::move(first->next_in_list);
  if (head_ == nullptr) tail_ = nullptr;
  return first;
}

void QueueList::Erase(const AclimbQueue* queue) {
  AclimbQueue* before = nullptr;
  for (AclimbQueue* at = head_.get(); at != nullptr; before = at, at = at->next_in_list.get()) {
    if (at != queue) continue;
    std::shared_ptr<AclimbQueue>& link = before != nullptr ? before->next_in_list : head_;
    const std::shared_ptr<AclimbQueue> removed = std::move(link);
    link = std::move(removed->next_in_list);
    if (tail_ == at) tail_ = before;
    return;
  }
}

}  // namespace aclimb::cpu
