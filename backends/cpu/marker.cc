#include "backends/cpu/marker.h"

#include <chrono>

#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/codes.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/queue.h"
#include "backends/cpu/scheduler.h"

namespace aclimb::cpu {

uint64_t NowNanoseconds() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

void SettleMarker(AclimbMarker* marker, AclimbMarkerState state) {
  marker->time_ns.store(NowNanoseconds(), std::memory_order_relaxed);
  marker->state.store(state, std::memory_order_release);
  marker->changed.notify_all();
  // A queue behind dropped work never runs on; WakeDependants tells who waits for it.
  if (state != ACLIMB_MARKER_DONE) return;
  while (AclimbQueue* const queue = marker->blocked.PopFront()) {
    queue->blocked_on = nullptr;
    queue->engine->MakeReady(queue);
  }
}

int WaitMarker(AclimbMarker* marker, int64_t timeout_ms, int take_error) {
  const CancelGuard uncancelled;
  std::unique_lock<std::mutex> lock(Scheduler::Get().mutex);
  const std::shared_ptr<AclimbQueue> queue = marker->queue.lock();
  if (queue != nullptr) {
    queue->engine->Unpark();
    if (timeout_ms >= 0) queue->engine->FlushDeferred();
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (marker->state.load(std::memory_order_relaxed) == ACLIMB_MARKER_PENDING) {
    if (queue != nullptr && queue->DependsOnDroppedWork()) return kRtStreamAbort;
    if (timeout_ms < 0) {
      const auto done = [&] {
        return marker->state.load(std::memory_order_relaxed) != ACLIMB_MARKER_PENDING ||
               queue->DependsOnDroppedWork();
      };
      if (queue != nullptr && queue->engine->TryRunInline(queue.get(), lock, done)) continue;
      if (queue != nullptr) queue->engine->FlushDeferred();
    }
    const CancelPoint here(uncancelled);
    if (timeout_ms < 0) {
      marker->changed.wait(lock);
    } else if (marker->changed.wait_until(lock, deadline) == std::cv_status::timeout &&
               marker->state.load(std::memory_order_relaxed) == ACLIMB_MARKER_PENDING) {
      return kRtEventSyncTimeout;
    }
  }
  if (!marker->IsDone()) {
    return queue != nullptr && queue->group->stop_error != 0 ? queue->group->stop_error
                                                             : kRtStreamAbort;
  }
  return queue != nullptr && take_error != 0 ? queue->TakeError(marker->position) : 0;
}

}  // namespace aclimb::cpu
