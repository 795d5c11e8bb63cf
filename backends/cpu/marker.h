#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>

#include "aclimb/backend/backend.h"
#include "backends/cpu/queue_list.h"

// One recording of an event. Fields are guarded by the scheduler's lock, except where noted.
struct AclimbMarker {
  std::atomic<int> references{1};
  std::atomic<int> state{ACLIMB_MARKER_PENDING};  // written under the lock, read anywhere
  std::atomic<uint64_t> time_ns{0};
  std::weak_ptr<AclimbQueue> queue;  // for the error of the work before it
  uint64_t position = 0;             // number of tasks of that queue it covers
  aclimb::cpu::QueueList blocked;    // queues that wait for it
  std::condition_variable changed;

  bool IsDone() const { return state.load(std::memory_order_relaxed) == ACLIMB_MARKER_DONE; }
  void Retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

namespace aclimb::cpu {

uint64_t NowNanoseconds();

// Under the scheduler's lock: the marker is done (or dropped), and queues blocked on a done marker
// become ready.
void SettleMarker(AclimbMarker* marker, AclimbMarkerState state);

int WaitMarker(AclimbMarker* marker, int64_t timeout_ms, int take_error);

}  // namespace aclimb::cpu
