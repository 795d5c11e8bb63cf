#include "backends/cpu/cpu_backend.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "aclimb/core/codes.h"
#include "aclimb/core/cores.h"
#include "aclimb/core/divide.h"
#include "backends/cpu/address_space.h"
#include "backends/cpu/capacity.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/fault_handler.h"
#include "backends/cpu/mapped_memory.h"
#include "backends/cpu/marker.h"
#include "backends/cpu/memory.h"
#include "backends/cpu/queue.h"
#include "backends/cpu/refusal.h"
#include "backends/cpu/scheduler.h"

// Devices are opened and closed many times but made once: late frees and the threads of running
// tasks must find them.
struct AclimbDevice {
  int index = 0;
  aclimb::cpu::AddressSpace* space = nullptr;
  aclimb::cpu::Engine* engine = nullptr;
};

namespace aclimb {
namespace cpu {
namespace {

constexpr uint64_t kAllRanges = uint64_t{512} << 30;

AclimbBackendConfig config = {1, 0, 0, 0};

std::vector<AclimbDevice*>& Devices() {
  static auto* const devices = new std::vector<AclimbDevice*>;
  return *devices;
}

// Nothing is thrown through the interface.
template <typename Body>
int OrCode(Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return CodeOfException();
  }
}

uint64_t CapacityPerDevice() {
  if (config.memory_bytes != 0) return config.memory_bytes;
  return UsableMachineMemory() / 4 * 3 / static_cast<uint64_t>(config.devices);
}

int Configure(const AclimbBackendConfig* wanted) {
  config = *wanted;
  return 0;
}

int DeviceCount() { return config.devices; }

AclimbDevice* FindOrMakeDevice(int index) {
  std::vector<AclimbDevice*>& devices = Devices();
  if (devices.empty()) {
    InstallFaultHandler();
    devices.resize(static_cast<size_t>(config.devices), nullptr);
  }
  AclimbDevice*& device = devices[static_cast<size_t>(index)];
  if (device == nullptr) {
    const uint64_t capacity = CapacityPerDevice();
    const uint64_t range =
        std::min(2 * capacity, kAllRanges / static_cast<uint64_t>(config.devices));
    auto made = std::make_unique<AclimbDevice>();
    made->index = index;
    made->engine = EngineOf(index);
    made->space = new AddressSpace(index, capacity, range, config.host_access != 0);
    PublishSpace(made->space);
    device = made.release();
  }
  return device;
}

int OpenDevice(int index, AclimbDevice** device) {
  return OrCode([&] {
    *device = FindOrMakeDevice(index);
    return 0;
  });
}

int CloseDevice(AclimbDevice* device) {
  return OrCode([&] {
    device->space->Clear();
    return 0;
  });
}

int Properties(int, AclimbDeviceProperties* properties) {
  properties->name = "cpu";
  properties->memory_bytes = CapacityPerDevice();
  properties->cores = CoreCount();
  properties->l2_bytes = L2CacheBytes();
  return 0;
}

int MemoryAllocate(AclimbDevice* device, uint64_t requested, uint64_t usable, void** address) {
  return OrCode([&] {
    int code = device->space->Allocate(requested, usable, address);
    if (code == kRtMemoryAllocation) {
      // Mapped memory that was freed may be due, which comes out of the same capacity.
      ReclaimMapped();
      code = device->space->Allocate(requested, usable, address);
    }
    return code;
  });
}
uint64_t MemoryTicket() { return Scheduler::Get().NextTicket(); }
int MemoryFreeAsOf(AclimbDevice* device, void* address, uint64_t ticket) {
  return OrCode([&] { return device->space->Free(address, ticket); });
}
int MemoryFree(AclimbDevice* device, void* address) {
  return MemoryFreeAsOf(device, address, MemoryTicket());
}
void* KernelAddress(AclimbDevice* device, const void* address) {
  void* const in_range = KernelAddressOfRange(address);
  return in_range != nullptr ? in_range : device->space->KernelAddress(address);
}
int IsDevice(const void* address) {
  return SpaceOf(address) != nullptr || KernelAddressOfRange(address) != nullptr ? 1 : 0;
}
int MemoryInfo(AclimbDevice* device, uint64_t* free, uint64_t* total) {
  return OrCode([&] {
    ReclaimMapped();
    device->space->Info(free, total);
    return 0;
  });
}

uint64_t MemoryWaiting(AclimbDevice* device) {
  try {
    return WaitingPhysicalBytes(device->space) + device->space->WaitingBytes();
  } catch (...) {
    return 0;
  }
}

int HostAllocate(uint64_t bytes, void** address) {
  constexpr uint64_t kBoundary = 4096;
  ForgetRefusal();
  if (bytes > ~uint64_t{0} - kBoundary) return kRtMemoryAllocation;
  void* memory = std::aligned_alloc(kBoundary, RoundUp(bytes, kBoundary));
  if (memory == nullptr) {
    NoteRefusedMemory("the page-locked memory", "aligned_alloc", bytes, errno);
    return kRtMemoryAllocation;
  }
  *address = memory;
  return 0;
}
int HostFree(void* address) {
  std::free(address);
  return 0;
}

int RangeReserve(uint64_t bytes, void** address) {
  return OrCode([&] { return ReserveRange(bytes, config.host_access != 0, address); });
}
int RangeRelease(void* address) {
  return OrCode([&] { return ReleaseRange(address); });
}
int PhysicalAllocate(AclimbDevice* device, uint64_t bytes, AclimbPhysical** memory) {
  return OrCode([&] { return AllocatePhysical(device->space, bytes, memory); });
}
int PhysicalFree(AclimbPhysical* memory) {
  return OrCode([&] { return FreePhysical(memory); });
}
int RangeMap(void* address, uint64_t bytes, AclimbPhysical* memory, uint64_t offset) {
  return OrCode([&] { return MapRange(address, bytes, memory, offset); });
}
int RangeUnmap(void* address, uint64_t bytes) {
  return OrCode([&] { return UnmapRange(address, bytes); });
}

int QueueCreate(AclimbDevice* device, const AclimbQueueOptions* options, AclimbQueue** queue) {
  return OrCode([&] {
    *queue = CreateQueue(device->engine, *options).get();  // the scheduler's list owns it
    return 0;
  });
}
int QueueDestroy(AclimbQueue* queue, int drain) {
  DestroyQueue(queue, drain != 0);
  return 0;
}

int QueueSubmit(AclimbQueue* queue, const AclimbTask* run, uint32_t* task_id) {
  Task task;
  task.run = *run;
  return Submit(queue, task, task_id);
}

struct CopyJob {
  void* dst;
  size_t dst_pitch;
  const void* src;
  size_t src_pitch;
  size_t width;
  size_t height;
};

int QueueCopy(AclimbQueue* queue, void* dst, size_t dst_pitch, const void* src, size_t src_pitch,
              size_t width, size_t height, uint32_t* task_id) {
  Task task;
  task.run.name = "copy";
  task.run.payload = new (std::nothrow) CopyJob{dst, dst_pitch, src, src_pitch, width, height};
  if (task.run.payload == nullptr) return NoHostMemory();
  task.run.run = [](void* payload) {
    const auto* job = static_cast<CopyJob*>(payload);
    return CopyMemory(job->dst, job->dst_pitch, job->src, job->src_pitch, job->width, job->height);
  };
  task.run.release = [](void* payload) { delete static_cast<CopyJob*>(payload); };
  task.run.cost_bytes = width * height;
  return Submit(queue, task, task_id);
}

struct FillJob {
  void* address;
  uint32_t value;
  int element_bytes;
  size_t count;
};

int QueueFill(AclimbQueue* queue, void* address, uint32_t value, int element_bytes, size_t count,
              uint32_t* task_id) {
  Task task;
  task.run.name = "fill";
  task.run.payload = new (std::nothrow) FillJob{address, value, element_bytes, count};
  if (task.run.payload == nullptr) return NoHostMemory();
  task.run.run = [](void* payload) {
    const auto* job = static_cast<FillJob*>(payload);
    return FillMemory(job->address, job->value, job->element_bytes, job->count);
  };
  task.run.release = [](void* payload) { delete static_cast<FillJob*>(payload); };
  task.run.cost_bytes = static_cast<uint64_t>(element_bytes) * count;
  return Submit(queue, task, task_id);
}

int QueueSuspend(AclimbQueue* queue, void (*start)(void*, AclimbSuspension*), void* payload,
                 int uses_memory, uint32_t* task_id) {
  Task task;
  task.kind = Task::Kind::kSuspend;
  task.start = start;
  task.payload = payload;
  task.halt_uses_memory = uses_memory != 0;
  return Submit(queue, task, task_id);
}

int QueueStopOnFailure(AclimbQueue* queue) {
  std::lock_guard<std::mutex> lock(Scheduler::Get().mutex);
  queue->stop_on_failure = true;
  return 0;
}

int QueueTakeFailure(AclimbQueue* queue, AclimbTaskFailure* failure) {
  std::lock_guard<std::mutex> lock(Scheduler::Get().mutex);
  // A group that has stopped returns one error again and again, for all of its queues.
  const uint64_t last = queue->group->stop_error != 0 ? FailureLog::kAll : queue->told_to;
  return queue->failures.Take(failure, last) ? 1 : 0;
}

void MarkerRetain(AclimbMarker* marker) { marker->Retain(); }
void MarkerRelease(AclimbMarker* marker) { marker->Release(); }
int MarkerState(AclimbMarker* marker) { return marker->state.load(std::memory_order_acquire); }
uint64_t MarkerTime(AclimbMarker* marker) {
  if (marker->state.load(std::memory_order_acquire) != ACLIMB_MARKER_DONE) return 0;
  return marker->time_ns.load(std::memory_order_relaxed);
}

int IsCancelled() { return Cancelled() ? 1 : 0; }

}  // namespace
}  // namespace cpu
}  // namespace aclimb

extern "C" const AclimbBackend* aclimb_backend_cpu(void) {
  using namespace aclimb;  // NOLINT: the table alone
  static constexpr AclimbBackend kBackend = {
      .api_version = ACLIMB_BACKEND_API_VERSION,
      .struct_size = sizeof(AclimbBackend),
      .name = "cpu",
      .configure = cpu::Configure,
      .device_count = cpu::DeviceCount,
      .device_open = cpu::OpenDevice,
      .device_close = cpu::CloseDevice,
      .device_properties = cpu::Properties,
      .take_refusal = cpu::TakeRefusal,
      .memory_allocate = cpu::MemoryAllocate,
      .memory_free = cpu::MemoryFree,
      .memory_ticket = cpu::MemoryTicket,
      .memory_free_as_of = cpu::MemoryFreeAsOf,
      .memory_kernel_address = cpu::KernelAddress,
      .memory_is_device = cpu::IsDevice,
      .memory_copy = cpu::CopyMemory,
      .memory_fill = cpu::FillMemory,
      .memory_info = cpu::MemoryInfo,
      .memory_waiting = cpu::MemoryWaiting,
      .host_allocate = cpu::HostAllocate,
      .host_free = cpu::HostFree,
      .range_reserve = cpu::RangeReserve,
      .range_release = cpu::RangeRelease,
      .physical_allocate = cpu::PhysicalAllocate,
      .physical_free = cpu::PhysicalFree,
      .range_map = cpu::RangeMap,
      .range_unmap = cpu::RangeUnmap,
      .queue_create = cpu::QueueCreate,
      .queue_destroy = cpu::QueueDestroy,
      .queue_submit = cpu::QueueSubmit,
      .queue_copy = cpu::QueueCopy,
      .queue_fill = cpu::QueueFill,
      .queue_suspend = cpu::QueueSuspend,
      .queue_resume = cpu::Resume,
      .queue_wait = cpu::WaitQueue,
      .queue_query = cpu::QueryQueue,
      .queue_abort = cpu::AbortQueue,
      .queue_is_lost = cpu::QueueIsLost,
      .queue_stop_on_failure = cpu::QueueStopOnFailure,
      .queue_take_failure = cpu::QueueTakeFailure,
      .queue_record = cpu::Record,
      .queue_wait_marker = cpu::WaitForMarker,
      .marker_retain = cpu::MarkerRetain,
      .marker_release = cpu::MarkerRelease,
      .marker_state = cpu::MarkerState,
      .marker_wait = cpu::WaitMarker,
      .marker_time = cpu::MarkerTime,
      .kernel_make = nullptr,
      .kernel_run = nullptr,
      .kernel_release = nullptr,
      .cancelled = cpu::IsCancelled,
      .explain = cpu::Explain,
  };
  return &kBackend;
}
