#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "aclimb/backend/backend.h"

namespace aclimb::check {

// How much of each queue's work is known to be done, by the number of the queue.
using Clock = std::vector<uint64_t>;

void Join(Clock& into, const Clock& other);

// A piece of work: the n-th of a queue, from 1.
struct Stamp {
  uint32_t queue = 0;
  uint64_t number = 0;
};
inline bool Knows(const Clock& clock, Stamp stamp) {
  return stamp.queue < clock.size() && clock[stamp.queue] >= stamp.number;
}
// All that the other one knows.
bool Knows(const Clock& clock, const Clock& other);

// What happens before what: a vector clock for each queue, each marker and the host. All threads of
// the host count as one, since what orders them is not seen here.
class Clocks {
 public:
  void AddQueue(const AclimbQueue* queue);
  void RemoveQueue(const AclimbQueue* queue);

  // New work; it comes after everything that the host and the queue know of.
  Stamp Queue(const AclimbQueue* queue);
  // What the latest work of the queue comes after, itself included.
  const Clock& Of(const AclimbQueue* queue);
  const Clock& Host() const { return host_; }

  void Record(const AclimbQueue* queue, const AclimbMarker* marker);
  void QueueWaits(const AclimbQueue* queue, const AclimbMarker* marker);
  void HostWaits(const AclimbQueue* queue);
  void HostWaits(const AclimbMarker* marker);
  void HostLearns(const Clock& clock) { Join(host_, clock); }
  // Whether the host waited for all that the queue or marker stands for.
  bool HostKnows(const AclimbQueue* queue);
  bool HostKnows(const AclimbMarker* marker) const;

 private:
  struct QueueClock {
    uint32_t number = 0;
    Clock clock;
  };
  QueueClock& Find(const AclimbQueue* queue);

  std::unordered_map<const AclimbQueue*, QueueClock> queues_;
  std::unordered_map<const AclimbMarker*, Clock> markers_;
  std::vector<uint32_t> free_numbers_;  // of queues that are gone and whose work is done
  std::vector<uint64_t> last_;          // stamps given out, by number
  Clock host_;
};

}  // namespace aclimb::check
