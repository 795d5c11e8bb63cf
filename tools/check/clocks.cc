#include "tools/check/clocks.h"

#include <algorithm>

namespace aclimb::check {

bool Knows(const Clock& clock, const Clock& other) {
  for (size_t i = 0; i < other.size(); ++i) {
    if (other[i] > (i < clock.size() ? clock[i] : 0)) return false;
  }
  return true;
}

void Join(Clock& into, const Clock& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

void Clocks::AddQueue(const AclimbQueue* queue) {
  queues_.erase(queue);
  Find(queue);
}

void Clocks::RemoveQueue(const AclimbQueue* queue) {
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return;
  // Its number goes on counting for the next queue, so that no stamp is given twice.
  free_numbers_.push_back(found->second.number);
  queues_.erase(found);
}

Clocks::QueueClock& Clocks::Find(const AclimbQueue* queue) {
  const auto [found, fresh] = queues_.try_emplace(queue);
  if (fresh) {
    if (free_numbers_.empty()) {
      found->second.number = static_cast<uint32_t>(last_.size());
      last_.push_back(0);
    } else {
      found->second.number = free_numbers_.back();
      free_numbers_.pop_back();
    }
  }
  return found->second;
}

Stamp Clocks::Queue(const AclimbQueue* queue) {
  QueueClock& own = Find(queue);
  Join(own.clock, host_);
  if (own.clock.size() <= own.number) own.clock.resize(own.number + 1);
  const uint64_t number = ++last_[own.number];
  own.clock[own.number] = number;
  return {own.number, number};
}

const Clock& Clocks::Of(const AclimbQueue* queue) { return Find(queue).clock; }

void Clocks::Record(const AclimbQueue* queue, const AclimbMarker* marker) {
  Clock& clock = markers_[marker];
  clock = Find(queue).clock;
  // It also stands for what the host had waited for when it was recorded.
  Join(clock, host_);
}

void Clocks::QueueWaits(const AclimbQueue* queue, const AclimbMarker* marker) {
  const auto found = markers_.find(marker);
  if (found != markers_.end()) Join(Find(queue).clock, found->second);
}

void Clocks::HostWaits(const AclimbQueue* queue) { Join(host_, Find(queue).clock); }

void Clocks::HostWaits(const AclimbMarker* marker) {
  const auto found = markers_.find(marker);
  if (found != markers_.end()) Join(host_, found->second);
}

bool Clocks::HostKnows(const AclimbQueue* queue) { return Knows(host_, Find(queue).clock); }

bool Clocks::HostKnows(const AclimbMarker* marker) const {
  const auto found = markers_.find(marker);
  return found == markers_.end() || Knows(host_, found->second);
}

}  // namespace aclimb::check
