#include "tools/schedule/schedule.h"

#include "aclimb/core/codes.h"
#include "tools/schedule/director.h"
#include "tools/schedule/settings.h"

// The backend interface with the director in between: every entry that queues, waits or asks.

namespace aclimb::tools {
namespace {

const AclimbBackend* next = nullptr;
Director* director = nullptr;

int MemoryCopy(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
               size_t height) {
  director->Point(/*asks=*/true);
  return next->memory_copy(dst, dst_pitch, src, src_pitch, width, height);
}

int MemoryFill(void* address, uint32_t value, int element_bytes, size_t count) {
  director->Point(/*asks=*/true);
  return next->memory_fill(address, value, element_bytes, count);
}

int QueueCreate(AclimbDevice* device, const AclimbQueueOptions* options, AclimbQueue** queue) {
  int code = next->queue_create(device, options, queue);
  if (code != 0) return code;
  code = director->Made(*queue);
  if (code != 0) next->queue_destroy(*queue, /*drain=*/0);
  return code;
}

int QueueDestroy(AclimbQueue* queue, int drain) { return director->Destroy(queue, drain); }

int QueueSubmit(AclimbQueue* queue, const AclimbTask* task, uint32_t* task_id) {
  return director->Add(
      queue, task->name, /*returns=*/true, task_id,
      [&](uint32_t* id) { return next->queue_submit(queue, task, id); },
      [&] {
        if (task->release != nullptr) task->release(task->payload);
      });
}

int QueueCopy(AclimbQueue* queue, void* dst, size_t dst_pitch, const void* src, size_t src_pitch,
              size_t width, size_t height, uint32_t* task_id) {
  return director->Add(
      queue, "copy", /*returns=*/true, task_id,
      [&](uint32_t* id) {
        return next->queue_copy(queue, dst, dst_pitch, src, src_pitch, width, height, id);
      },
      [] {});
}

int QueueFill(AclimbQueue* queue, void* address, uint32_t value, int element_bytes, size_t count,
              uint32_t* task_id) {
  return director->Add(
      queue, "fill", /*returns=*/true, task_id,
      [&](uint32_t* id) {
        return next->queue_fill(queue, address, value, element_bytes, count, id);
      },
      [] {});
}

int QueueSuspend(AclimbQueue* queue, void (*start)(void*, AclimbSuspension*), void* payload,
                 int uses_memory, uint32_t* task_id) {
  return director->Add(
      queue, "callback", /*returns=*/false, task_id,
      [&](uint32_t* id) { return next->queue_suspend(queue, start, payload, uses_memory, id); },
      [&] { start(payload, nullptr); });
}

int QueueWait(AclimbQueue* queue, int64_t timeout_ms) { return director->Wait(queue, timeout_ms); }

int QueueQuery(AclimbQueue* queue, int* idle) {
  director->Point(/*asks=*/true);
  return next->queue_query(queue, idle);
}

int QueueAbort(AclimbQueue* queue) { return director->Abort(queue); }

int QueueTakeFailure(AclimbQueue* queue, AclimbTaskFailure* failure) {
  return director->TakeFailure(queue, failure);
}

int QueueRecord(AclimbQueue* queue, AclimbMarker** marker) {
  return director->Record(queue, marker);
}

int QueueWaitMarker(AclimbQueue* queue, AclimbMarker* marker, int64_t timeout_ms) {
  return director->WaitMarker(queue, marker, timeout_ms);
}

int MarkerState(AclimbMarker* marker) {
  director->Point(/*asks=*/true);
  return next->marker_state(marker);
}

uint64_t MarkerTime(AclimbMarker* marker) {
  director->Point(/*asks=*/true);
  return next->marker_time(marker);
}

int MarkerWait(AclimbMarker* marker, int64_t timeout_ms, int take_error) {
  return director->Wait(marker, timeout_ms, take_error);
}

}  // namespace

const AclimbBackend* WrapSchedule(const AclimbBackend* backend) noexcept try {
  Result<std::unique_ptr<Order>> order = ReadOrder();
  if (!order.ok() || order.value() == nullptr) return backend;
  static AclimbBackend wrapped;
  next = backend;
  director = new Director(*backend, std::move(order.value()), "ACLIMB_SCHEDULE_OUT");
  wrapped = *backend;
  wrapped.memory_copy = &MemoryCopy;
  wrapped.memory_fill = &MemoryFill;
  wrapped.queue_create = &QueueCreate;
  wrapped.queue_destroy = &QueueDestroy;
  wrapped.queue_submit = &QueueSubmit;
  wrapped.queue_copy = &QueueCopy;
  wrapped.queue_fill = &QueueFill;
  wrapped.queue_suspend = &QueueSuspend;
  wrapped.queue_wait = &QueueWait;
  wrapped.queue_query = &QueueQuery;
  wrapped.queue_abort = &QueueAbort;
  wrapped.queue_take_failure = &QueueTakeFailure;
  wrapped.queue_record = &QueueRecord;
  wrapped.queue_wait_marker = &QueueWaitMarker;
  wrapped.marker_state = &MarkerState;
  wrapped.marker_time = &MarkerTime;
  wrapped.marker_wait = &MarkerWait;
  return &wrapped;
} catch (...) {
  return backend;  // Out of memory this early: the program runs in the engine's own order.
}

}  // namespace aclimb::tools
