#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "aclimb/core/codes.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/fork.h"
#include "aclimb/observe/halt.h"
#include "aclimb/observe/observe.h"
#include "aclimb/observe/quarantine.h"

// The backend interface with tools listening: every entry forwards to the real one and tells.

namespace aclimb::observe {
namespace {

const AclimbBackend* next = nullptr;
// Below whatever orders the work: for work that runs already.
const AclimbBackend* device_side = nullptr;
Quarantine* quarantine = nullptr;  // null unless a tool wants freed memory kept

// Of the halt that the thread queues next.
struct HaltView {
  const char* name = "callback";
  const AclimbOperation* operation = nullptr;
};
[[gnu::tls_model("initial-exec")]] thread_local HaltView halt_view;

uint64_t NewId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

struct Watched {
  Work work;
  AclimbTask task = {};                               // of a task
  void (*start)(void*, AclimbSuspension*) = nullptr;  // of a callback
  void* payload = nullptr;
  AclimbSuspension* suspension = nullptr;  // of a callback under way
  Watched* next = nullptr;
  std::atomic<bool> started{false};
};

int Begin(Watched& watched) {
  watched.started.store(true, std::memory_order_relaxed);
  int code = 0;
  Each([&](Observer& tool) {
    const int wanted = tool.Started(watched.work);
    if (code == 0) code = wanted;
  });
  return code;
}

void End(const Watched& watched, int code) {
  Each([&](Observer& tool) { tool.Finished(watched.work, code); });
}

void TellIfDropped(const Watched& watched) {
  if (watched.started.load(std::memory_order_relaxed)) return;
  Each([&](Observer& tool) { tool.Dropped(watched.work); });
}

// ---- Memory ----

// What `allocate` returns, at the second try where the first found no memory and some was kept.
template <typename Allocate>
int WithWhatIsKept(AclimbDevice* device, const Allocate& allocate) {
  const int code = allocate();
  const bool again =
      code == kRtMemoryAllocation && quarantine != nullptr && quarantine->GiveBack(device);
  return again ? allocate() : code;
}

int MemoryAllocate(AclimbDevice* device, uint64_t requested, uint64_t usable, void** address) {
  const int code = WithWhatIsKept(
      device, [&] { return next->memory_allocate(device, requested, usable, address); });
  if (code == 0) {
    if (quarantine != nullptr) {
      constexpr uint64_t kGranule = ACLIMB_MEMORY_GRANULE;
      quarantine->Allocated(device, *address, RoundUp(usable, kGranule));
    }
    Each([&](Observer& tool) { tool.Allocated(device, *address, requested, usable); });
  }
  return code;
}

int MemoryFree(AclimbDevice* device, void* address) {
  Each([&](Observer& tool) { tool.Freed(device, address); });
  if (quarantine != nullptr && quarantine->Keep(device, address)) return 0;
  return next->memory_free(device, address);
}

int MemoryInfo(AclimbDevice* device, uint64_t* free, uint64_t* total) {
  const int code = next->memory_info(device, free, total);
  if (code == 0 && quarantine != nullptr) *free += quarantine->BytesOf(device);
  return code;
}

int DeviceClose(AclimbDevice* device) {
  Each([&](Observer& tool) { tool.DeviceClosed(device); });
  if (quarantine != nullptr) quarantine->Forget(device);
  return next->device_close(device);
}

Work CopyWork(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
              size_t height) {
  Work work;
  work.kind = WorkKind::kCopy;
  work.name = "copy";
  work.dst = dst;
  work.dst_pitch = dst_pitch;
  work.src = src;
  work.src_pitch = src_pitch;
  work.width = width;
  work.height = height;
  return work;
}

Work FillWork(void* address, int element_bytes, size_t count) {
  Work work = CopyWork(address, 0, nullptr, 0, count * static_cast<size_t>(element_bytes), 1);
  work.kind = WorkKind::kFill;
  work.name = "fill";
  return work;
}

int MemoryCopy(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
               size_t height) {
  const Work work = CopyWork(dst, dst_pitch, src, src_pitch, width, height);
  Each([&](Observer& tool) { tool.CopiesNow(work); });
  return next->memory_copy(dst, dst_pitch, src, src_pitch, width, height);
}

int MemoryFill(void* address, uint32_t value, int element_bytes, size_t count) {
  const Work work = FillWork(address, element_bytes, count);
  Each([&](Observer& tool) { tool.FillsNow(work); });
  return next->memory_fill(address, value, element_bytes, count);
}

int HostAllocate(uint64_t bytes, void** address) {
  const int code = WithWhatIsKept(nullptr, [&] { return next->host_allocate(bytes, address); });
  if (code == 0) {
    if (quarantine != nullptr) quarantine->Allocated(nullptr, *address, bytes);
    Each([&](Observer& tool) { tool.HostAllocated(*address, bytes); });
  }
  return code;
}

int HostFree(void* address) {
  Each([&](Observer& tool) { tool.HostFreed(address); });
  if (quarantine != nullptr && quarantine->Keep(nullptr, address)) return 0;
  Each([&](Observer& tool) { tool.HostGivenBack(address); });
  return next->host_free(address);
}

int PhysicalAllocate(AclimbDevice* device, uint64_t bytes, AclimbPhysical** memory) {
  const int code =
      WithWhatIsKept(device, [&] { return next->physical_allocate(device, bytes, memory); });
  if (code == 0) {
    Each([&](Observer& tool) { tool.PhysicalAllocated(device, *memory, bytes); });
  }
  return code;
}

int PhysicalFree(AclimbPhysical* memory) {
  Each([&](Observer& tool) { tool.PhysicalFreed(memory); });
  return next->physical_free(memory);
}

int RangeMap(void* address, uint64_t bytes, AclimbPhysical* memory, uint64_t offset) {
  const int code = next->range_map(address, bytes, memory, offset);
  if (code == 0) Each([&](Observer& tool) { tool.Mapped(address, bytes); });
  return code;
}

int RangeUnmap(void* address, uint64_t bytes) {
  Each([&](Observer& tool) { tool.Unmapped(address); });
  return next->range_unmap(address, bytes);
}

// ---- Queues ----

int QueueCreate(AclimbDevice* device, const AclimbQueueOptions* options, AclimbQueue** queue) {
  const int code = next->queue_create(device, options, queue);
  if (code == 0) Each([&](Observer& tool) { tool.QueueMade(device, *queue); });
  return code;
}

int QueueDestroy(AclimbQueue* queue, int drain) {
  Each([&](Observer& tool) { tool.QueueDestroyed(queue, drain != 0); });
  return next->queue_destroy(queue, drain);
}

void TellQueued(Watched& watched, AclimbQueue* queue) {
  watched.work.id = NewId();
  watched.work.queue = queue;
  watched.work.function = CurrentCall();
  Each([&](Observer& tool) { tool.Queued(watched.work); });
}

int RunTask(void* payload) {
  auto& watched = *static_cast<Watched*>(payload);
  int code = Begin(watched);
  if (code == 0) code = watched.task.run(watched.task.payload);
  End(watched, code);
  return code;
}

void ReleaseTask(void* payload) {
  const std::unique_ptr<Watched> watched(static_cast<Watched*>(payload));
  TellIfDropped(*watched);
  if (watched->task.release != nullptr) watched->task.release(watched->task.payload);
}

// Queues `task`, and tells of it as `work`. Takes the payload over in every case.
int QueueWatched(AclimbQueue* queue, const AclimbTask& task, const Work& work, uint32_t* task_id) {
  auto* watched = new (std::nothrow) Watched;
  if (watched == nullptr) {
    if (task.release != nullptr) task.release(task.payload);
    return kRtMemoryAllocation;
  }
  watched->work = work;
  watched->task = task;
  TellQueued(*watched, queue);
  AclimbTask outer = task;
  outer.run = &RunTask;
  outer.release = &ReleaseTask;
  outer.payload = watched;
  return next->queue_submit(queue, &outer, task_id);
}

int QueueSubmit(AclimbQueue* queue, const AclimbTask* task, uint32_t* task_id) {
  Work work;
  work.name = task->name;
  work.operation = task->operation;
  return QueueWatched(queue, *task, work, task_id);
}

// Copies and fills become tasks, so that tools hear when they run and can fail them unrun.
struct Transfer {
  Work work;
  uint32_t value = 0;  // of a fill
  int element_bytes = 0;

  int Run() const {
    if (work.kind == WorkKind::kFill) {
      return device_side->memory_fill(work.dst, value, element_bytes,
                                      work.width / static_cast<size_t>(element_bytes));
    }
    return device_side->memory_copy(work.dst, work.dst_pitch, work.src, work.src_pitch, work.width,
                                    work.height);
  }
};

int QueueTransfer(AclimbQueue* queue, const Transfer& transfer, uint32_t* task_id) {
  auto* payload = new (std::nothrow) Transfer(transfer);
  if (payload == nullptr) return kRtMemoryAllocation;
  AclimbTask task = {};
  task.name = transfer.work.name;
  task.run = [](void* mine) { return static_cast<const Transfer*>(mine)->Run(); };
  task.release = [](void* mine) { delete static_cast<Transfer*>(mine); };
  task.payload = payload;
  task.cost_bytes = transfer.work.width * transfer.work.height;
  return QueueWatched(queue, task, transfer.work, task_id);
}

int QueueCopy(AclimbQueue* queue, void* dst, size_t dst_pitch, const void* src, size_t src_pitch,
              size_t width, size_t height, uint32_t* task_id) {
  return QueueTransfer(
      queue, Transfer{.work = CopyWork(dst, dst_pitch, src, src_pitch, width, height)}, task_id);
}

int QueueFill(AclimbQueue* queue, void* address, uint32_t value, int element_bytes, size_t count,
              uint32_t* task_id) {
  return QueueTransfer(queue,
                       Transfer{.work = FillWork(address, element_bytes, count),
                                .value = value,
                                .element_bytes = element_bytes},
                       task_id);
}

// Callbacks under way. A list, since an engine's thread must not need memory.
struct Callbacks {
  std::mutex mutex;
  Watched* first = nullptr;
};
Callbacks& RunningCallbacks() {
  static auto* const callbacks = new Callbacks;
  return *callbacks;
}
ForkLock callbacks_lock(RunningCallbacks().mutex);

void StartCallback(void* payload, AclimbSuspension* suspension) {
  auto* watched = static_cast<Watched*>(payload);
  const auto start = watched->start;
  void* const inner = watched->payload;
  if (suspension == nullptr) {
    TellIfDropped(*watched);
    delete watched;
  } else {
    Begin(*watched);
    watched->suspension = suspension;
    Callbacks& callbacks = RunningCallbacks();
    const std::lock_guard<std::mutex> lock(callbacks.mutex);
    watched->next = callbacks.first;
    callbacks.first = watched;
  }
  start(inner, suspension);
}

int QueueSuspend(AclimbQueue* queue, void (*start)(void*, AclimbSuspension*), void* payload,
                 int uses_memory, uint32_t* task_id) {
  auto* watched = new (std::nothrow) Watched;
  if (watched == nullptr) {
    start(payload, nullptr);
    return kRtMemoryAllocation;
  }
  watched->work.kind = WorkKind::kCallback;
  watched->work.name = halt_view.name;
  watched->work.operation = halt_view.operation;
  watched->start = start;
  watched->payload = payload;
  TellQueued(*watched, queue);
  return next->queue_suspend(queue, &StartCallback, watched, uses_memory, task_id);
}

void QueueResume(AclimbSuspension* suspension) {
  Callbacks& callbacks = RunningCallbacks();
  std::unique_ptr<Watched> watched;
  {
    const std::lock_guard<std::mutex> lock(callbacks.mutex);
    for (Watched** link = &callbacks.first; *link != nullptr; link = &(*link)->next) {
      if ((*link)->suspension != suspension) continue;
      watched.reset(*link);
      *link = watched->next;
      break;
    }
  }
  if (watched != nullptr) End(*watched, 0);
  next->queue_resume(suspension);
}

int QueueWait(AclimbQueue* queue, int64_t timeout_ms) {
  const int code = next->queue_wait(queue, timeout_ms);
  Each([&](Observer& tool) { tool.QueueWaited(queue, code); });
  return code;
}

int QueueQuery(AclimbQueue* queue, int* idle) {
  const int code = next->queue_query(queue, idle);
  if (code == 0 && *idle != 0) Each([&](Observer& tool) { tool.QueueFoundIdle(queue); });
  return code;
}

int QueueAbort(AclimbQueue* queue) {
  const int code = next->queue_abort(queue);
  Each([&](Observer& tool) { tool.QueueAborted(queue); });
  return code;
}

// ---- Markers ----

int QueueRecord(AclimbQueue* queue, AclimbMarker** marker) {
  const int code = next->queue_record(queue, marker);
  if (code == 0) Each([&](Observer& tool) { tool.Recorded(queue, *marker); });
  return code;
}

int QueueWaitMarker(AclimbQueue* queue, AclimbMarker* marker, int64_t timeout_ms) {
  Each([&](Observer& tool) { tool.QueueWaitsFor(queue, marker); });
  return next->queue_wait_marker(queue, marker, timeout_ms);
}

int MarkerState(AclimbMarker* marker) {
  const int state = next->marker_state(marker);
  if (state == ACLIMB_MARKER_DONE) Each([&](Observer& tool) { tool.MarkerFoundDone(marker); });
  return state;
}

uint64_t MarkerTime(AclimbMarker* marker) {
  const uint64_t time = next->marker_time(marker);
  if (time != 0) Each([&](Observer& tool) { tool.MarkerFoundDone(marker); });
  return time;
}

int MarkerWait(AclimbMarker* marker, int64_t timeout_ms, int take_error) {
  const int code = next->marker_wait(marker, timeout_ms, take_error);
  Each([&](Observer& tool) { tool.MarkerWaited(marker, code); });
  return code;
}

}  // namespace

HaltFor::HaltFor(const char* name, const AclimbOperation* operation) noexcept {
  halt_view = {name, operation};
}
HaltFor::~HaltFor() { halt_view = {}; }

const AclimbBackend* Wrap(const AclimbBackend* backend) noexcept {
  device_side = backend;
  backend = Ordered(backend);
  if (!On()) return backend;
  static AclimbBackend wrapped;
  next = backend;
  bool keeps = false;
  Each([&](const Observer& tool) { keeps = keeps || tool.KeepsFreedMemory(); });
  if (keeps) quarantine = new (std::nothrow) Quarantine(*backend);
  wrapped = *backend;
  wrapped.device_close = &DeviceClose;
  wrapped.memory_allocate = &MemoryAllocate;
  wrapped.memory_free = &MemoryFree;
  wrapped.memory_info = &MemoryInfo;
  wrapped.memory_copy = &MemoryCopy;
  wrapped.memory_fill = &MemoryFill;
  wrapped.host_allocate = &HostAllocate;
  wrapped.host_free = &HostFree;
  wrapped.physical_allocate = &PhysicalAllocate;
  wrapped.physical_free = &PhysicalFree;
  wrapped.range_map = &RangeMap;
  wrapped.range_unmap = &RangeUnmap;
  wrapped.queue_create = &QueueCreate;
  wrapped.queue_destroy = &QueueDestroy;
  wrapped.queue_submit = &QueueSubmit;
  wrapped.queue_copy = &QueueCopy;
  wrapped.queue_fill = &QueueFill;
  wrapped.queue_suspend = &QueueSuspend;
  wrapped.queue_resume = &QueueResume;
  wrapped.queue_wait = &QueueWait;
  wrapped.queue_query = &QueueQuery;
  wrapped.queue_abort = &QueueAbort;
  wrapped.queue_record = &QueueRecord;
  wrapped.queue_wait_marker = &QueueWaitMarker;
  wrapped.marker_state = &MarkerState;
  wrapped.marker_time = &MarkerTime;
  wrapped.marker_wait = &MarkerWait;
  return &wrapped;
}

bool IsDeviceAddress(const void* address) noexcept {
  return next != nullptr && next->memory_is_device(address) != 0;
}

}  // namespace aclimb::observe
