#include "aclimb/runtime/memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "aclimb/core/divide.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/context.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/mapped_memory.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/synchronize.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {
namespace {

// Live device allocations of all devices, by address.
struct AllocationTable {
  std::shared_mutex mutex;
  std::map<uint64_t, AclimbAllocation> live;
  std::atomic<uint64_t> removals{0};  // changed under the mutex, together with `live`
  uint64_t serial = 0;                // of the newest
  // The last ones that are gone, for messages.
  struct Gone {
    AclimbAllocation allocation;
    bool by_reset;  // of the device, not by a free of the program
  };
  std::array<Gone, 64> freed = {};
  uint64_t frees = 0;

  void Remember(const AclimbAllocation& allocation, bool by_reset) {
    freed[frees++ % freed.size()] = {allocation, by_reset};
  }
};
AllocationTable& Allocations() {
  static auto* const table = new AllocationTable;
  return *table;
}
ForkLock allocations_lock(Allocations().mutex);

// Programs rely on the slack behind an allocation.
constexpr uint64_t UsableBytes(uint64_t size) { return RoundUp(size, 32u) + 32; }

Status Allocate(void** address, uint64_t size) {
  if (address == nullptr) return NullArgument("devPtr");
  if (size == 0) return ZeroSize("size");
  Result<ContextRef> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  Device& device = *context.value()->device;
  constexpr uint64_t kMost = uint64_t{1} << 60;
  AclimbAllocation allocation = {};
  void* base = nullptr;
  const int code = size > kMost
                       ? kRtMemoryAllocation
                       : Backend().memory_allocate(device.handle, size, UsableBytes(size), &base);
  if (code != 0) return NoDeviceMemory(code, size, device);
  allocation.base = base;
  allocation.requested = size;
  allocation.usable = UsableBytes(size);
  allocation.device = device.id;
  allocation.kernel_base = Backend().memory_kernel_address(device.handle, base);
  AllocationTable& table = Allocations();
  std::unique_lock<std::shared_mutex> lock(table.mutex);
  allocation.serial = ++table.serial;
  try {
    if (!table.live.insert_or_assign(Key(base), allocation).second) {
      table.removals.fetch_add(1, std::memory_order_release);
    }
  } catch (...) {
    Backend().memory_free(device.handle, base);
    throw;
  }
  *address = base;
  return Ok();
}

// An address that is in no live allocation, in words, and what to do about it.
struct Absent {
  std::string what;
  const char* fix;
};

Absent Describe(const void* address) {
  AllocationTable& table = Allocations();
  std::shared_lock<std::shared_mutex> lock(table.mutex);
  const uint64_t known = std::min<uint64_t>(table.frees, table.freed.size());
  for (uint64_t back = 1; back <= known; ++back) {
    const auto& [gone, by_reset] = table.freed[(table.frees - back) % table.freed.size()];
    const uint64_t offset = Key(address) - Key(gone.base);
    if (offset >= gone.usable) continue;
    // Its place may have been given away again.
    const auto behind = table.live.upper_bound(Key(address));
    if (behind != table.live.begin() && std::prev(behind)->first >= Key(gone.base)) {
      const AclimbAllocation& last = std::prev(behind)->second;
      return {Cat("which lies ", Key(address) - Key(last.base) - last.requested,
                  " bytes behind the end of the allocation of ", last.requested, " bytes at ",
                  AddressText(last.base)),
              "stay within the allocation, or make it larger"};
    }
    const std::string place = offset == 0
                                  ? Cat("which is the allocation of ", gone.requested, " bytes")
                                  : Cat("which lies ", offset, " bytes inside the allocation of ",
                                        gone.requested, " bytes at ", AddressText(gone.base));
    if (by_reset) {
      return {Cat(place, " that went with the last reset of device ", gone.device),
              "call aclrtResetDevice after the last use of the device's memory, and allocate it "
              "anew after the next aclrtSetDevice"};
    }
    return {Cat(place, " that was freed"),
            "free the memory only after the synchronise that waits for its last use "
            "(ACLIMB_CHECK=1 tells where it was freed)"};
  }
  lock.unlock();
  const Result<const AclimbBackend*> backend = LoadedBackend();
  if (backend.ok() && backend.value()->memory_is_device(address) == 0) {
    return {"which is host memory",
            "allocate device memory with aclrtMalloc, and copy what is on the host to it with "
            "aclrtMemcpy"};
  }
  return {"which is a device address in no live allocation",
          "check that it was not run past its end and that its memory was not freed "
          "(ACLIMB_CHECK=1 tells where)"};
}

// What is wrong with an address that is no live allocation's start.
Status NotAnAllocation(const char* argument, const void* address) {
  AclimbAllocation around;
  if (FindAllocation(address, &around)) {
    return Refuse(kRtParamInvalid,
                  Cat(argument, " is ", AddressText(address), ", which lies ",
                      Key(address) - Key(around.base), " bytes inside the allocation at ",
                      AddressText(around.base), "; expected the start of an allocation."),
                  "pass the address that aclrtMalloc returned", "runtime/memory/free-interior");
  }
  const bool host = IsPinnedHost(address, 1);
  return Refuse(kRtParamInvalid,
                Cat(argument, " is ", AddressText(address), ", ",
                    host ? "which is host memory of aclrtMallocHost" : Describe(address).what,
                    "; expected the address of a live device allocation."),
                host ? "free it with aclrtFreeHost"
                     : "free each allocation once, and only what aclrtMalloc returned",
                "runtime/memory/free-unknown");
}

Status Mapped(const void* address) {
  return Refuse(kRtParamInvalid,
                Cat("devPtr is ", AddressText(address),
                    ", which lies in a range of aclrtReserveMemAddress; expected the address of an "
                    "allocation."),
                "end mapped memory with aclrtUnmapMem and aclrtFreePhysical",
                "runtime/memory/free-mapped");
}

// Under the table's mutex: the last reset, which takes it first, cannot close the device in
// between.
Status Free(AllocationTable& table, std::map<uint64_t, AclimbAllocation>::iterator it) {
  void* const address = const_cast<void*>(it->second.base);
  Result<Device*> device = FindDevice(it->second.device, "devPtr");
  if (!device.ok()) return device.TakeStatus();
  table.Remember(it->second, false);
  table.live.erase(it);
  table.removals.fetch_add(1, std::memory_order_release);
  Backend().memory_free(device.value()->handle, address);
  return Ok();
}

Status FreeDevice(void* address) {
  if (address == nullptr) return NullArgument("devPtr");
  {
    if (IsReserved(address)) return Mapped(address);
    AllocationTable& table = Allocations();
    std::unique_lock<std::shared_mutex> lock(table.mutex);
    const auto it = table.live.find(Key(address));
    if (it == table.live.end()) {
      lock.unlock();
      return NotAnAllocation("devPtr", address);
    }
    return Free(table, it);
  }
}

Status FreeAfterSync(void* address) {
  if (address == nullptr) return NullArgument("devPtr");
  AclimbAllocation allocation;
  if (!FindAllocation(address, &allocation)) return NotAnAllocation("devPtr", address);
  Result<Device*> device = FindDevice(allocation.device, "devPtr");
  if (!device.ok()) return device.TakeStatus();
  ACLIMB_CHECK_OK(SynchronizeDevice(*device.value(), -1));
  return FreeDevice(address);
}

// There is no cache between host and device; only the arguments can be wrong.
Status CheckCacheRange(const void* address, size_t size) {
  if (address == nullptr) return NullArgument("devPtr");
  if (size == 0) return ZeroSize("size");
  return CheckDevice("devPtr", address, size);
}

}  // namespace

bool FindAllocation(const void* address, AclimbAllocation* allocation) {
  AllocationTable& table = Allocations();
  // A look-up takes no memory: without the thread's state it does without.
  ThreadState* const thread = ThisThreadOrNull();
  if (thread != nullptr) {
    const AclimbAllocation* const kept =
        thread->allocations.Find(address, table.removals.load(std::memory_order_acquire));
    if (kept != nullptr) {
      *allocation = *kept;
      return true;
    }
  }
  std::shared_lock<std::shared_mutex> lock(table.mutex);
  auto it = table.live.upper_bound(Key(address));
  if (it == table.live.begin()) return false;
  --it;
  if (Key(address) - it->first >= it->second.usable) return false;
  if (thread != nullptr) {
    thread->allocations.Keep(it->second, table.removals.load(std::memory_order_relaxed));
  }
  *allocation = it->second;
  return true;
}

Status NoDeviceMemory(int code, uint64_t size, const Device& device) {
  if (const SystemRefusal refusal = TakeSystemRefusal()) {
    return Refuse(code, Cat("size is ", size, " but ", refusal.what), refusal.fix,
                  "runtime/memory/refused");
  }
  const uint64_t waiting = Backend().memory_waiting(device.handle);
  uint64_t free = 0;
  uint64_t total = 0;
  Backend().memory_info(device.handle, &free, &total);
  const std::string freed =
      waiting == 0 ? ""
                   : Cat(" (", waiting, " freed bytes wait for queued work that may use them)");
  return Refuse(code,
                Cat("size is ", size, " but device ", device.id, " has ", free, " of ", total,
                    " bytes free", freed,
                    size <= free ? ", no piece of which holds size and its rounding; expected one."
                                 : "; expected size <= free."),
                waiting == 0
                    ? "free memory, or raise ACLIMB_MEMORY"
                    : "synchronize what was queued before the last free, free more memory, "
                      "or raise ACLIMB_MEMORY",
                "runtime/memory/exhausted");
}

void FreeIfLive(const AclimbAllocation& allocation) {
  AllocationTable& table = Allocations();
  std::unique_lock<std::shared_mutex> lock(table.mutex);
  const auto it = table.live.find(Key(allocation.base));
  if (it != table.live.end() && it->second.serial == allocation.serial) (void)Free(table, it);
}

void AddMapped(const AclimbAllocation& mapped, uint64_t begin, uint64_t end) {
  AllocationTable& table = Allocations();
  std::unique_lock<std::shared_mutex> lock(table.mutex);
  AclimbAllocation& made = table.live.emplace(Key(mapped.base), mapped).first->second;
  const auto self = table.live.find(Key(mapped.base));
  const auto joins = [&](const AclimbAllocation& a, const AclimbAllocation& b) {
    return a.device == b.device && Key(a.base) + a.usable == Key(b.base) && Key(a.base) >= begin &&
           Key(b.base) < end;
  };
  const auto next = std::next(self);
  if (next != table.live.end() && joins(made, next->second)) {
    made.requested = made.usable = made.usable + next->second.usable;
    table.live.erase(next);
  }
  if (self != table.live.begin() && joins(std::prev(self)->second, made)) {
    AclimbAllocation& before = std::prev(self)->second;
    before.requested = before.usable = before.usable + made.usable;
    table.live.erase(self);
  }
  // A thread that remembers a smaller one looks again.
  table.removals.fetch_add(1, std::memory_order_release);
}

void RemoveMapped(uint64_t base, uint64_t bytes) {
  AllocationTable& table = Allocations();
  std::unique_lock<std::shared_mutex> lock(table.mutex);
  const auto run = std::prev(table.live.upper_bound(base));
  AclimbAllocation& whole = run->second;
  const uint64_t first = run->first;
  const uint64_t end = first + whole.usable;
  AclimbAllocation behind = whole;
  behind.base = reinterpret_cast<const void*>(base + bytes);
  behind.kernel_base = static_cast<char*>(whole.kernel_base) + (base + bytes - first);
  behind.requested = behind.usable = end - base - bytes;
  // Before anything changes, since it may find no memory.
  if (behind.usable > 0) table.live.emplace(base + bytes, behind);
  if (first < base) {
    whole.requested = whole.usable = base - first;
  } else {
    table.live.erase(run);
  }
  table.removals.fetch_add(1, std::memory_order_release);
}

void ForgetDeviceMemory(int device) {
  const MappingsHeld held;
  {
    AllocationTable& table = Allocations();
    std::unique_lock<std::shared_mutex> lock(table.mutex);
    std::erase_if(table.live, [device, &table](const auto& entry) {
      if (entry.second.device != device) return false;
      table.Remember(entry.second, true);
      return true;
    });
    table.removals.fetch_add(1, std::memory_order_release);
  }
  ForgetMappedMemory(device, held);
}

Result<Place> PlaceOf(const char* argument, const void* address, uint64_t bytes) {
  AclimbAllocation allocation;
  if (!FindAllocation(address, &allocation)) {
    Result<const AclimbBackend*> backend = LoadedBackend();
    if (!backend.ok()) return backend.TakeStatus();
    if (backend.value()->memory_is_device(address) == 0) {
      const bool mapped = FindMappedHost(address, &allocation) &&
                          bytes <= allocation.usable - (Key(address) - Key(allocation.base));
      return mapped ? Place::kMapped : Place::kHost;
    }
    const Absent absent = Describe(address);
    return Refuse(kRtParamInvalid,
                  Cat(argument, " is ", AddressText(address), ", ", absent.what,
                      "; expected live device memory."),
                  absent.fix, "runtime/memory/not-live");
  }
  const uint64_t offset = Key(address) - Key(allocation.base);
  if (bytes > allocation.usable - offset) {
    return Refuse(kRtParamInvalid,
                  Cat(argument, " is ", AddressText(address), " with ", bytes,
                      " bytes, but the allocation at ", AddressText(allocation.base), " of ",
                      allocation.requested, " bytes ends after ", allocation.usable - offset,
                      "; expected to stay inside it."),
                  "allocate more, or copy less", "runtime/memory/past-end");
  }
  return Place::kDevice;
}

Status CheckDevice(const char* argument, const void* address, uint64_t bytes) {
  Result<Place> place = PlaceOf(argument, address, bytes);
  if (!place.ok()) return place.TakeStatus();
  if (place.value() != Place::kHost) return Ok();
  return Refuse(
      kRtParamInvalid,
      Cat(argument, " is ", AddressText(address), ", a host address; expected device memory."),
      "pass an address that aclrtMalloc returned", "runtime/memory/host-address");
}

}  // namespace aclimb

extern "C" {

int aclimb_memory_find(const void* address, AclimbAllocation* allocation) {
  try {
    return aclimb::FindAllocation(address, allocation) ||
                   aclimb::FindMappedHost(address, allocation)
               ? 1
               : 0;
  } catch (...) {
    return 0;
  }
}

const char* aclimb_memory_absent_text(const void* address, char* text, size_t size) {
  try {
    const aclimb::Absent absent = aclimb::Describe(address);
    text[absent.what.copy(text, size - 1)] = '\0';
    return absent.fix;
  } catch (...) {
    text[0] = '\0';
    return "pass memory of aclrtMalloc that was not freed";
  }
}

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  return aclimb::Enter("aclrtMalloc", [&] { return aclimb::Allocate(devPtr, size); });
}
aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  return aclimb::Enter("aclrtMallocAlign32", [&] { return aclimb::Allocate(devPtr, size); });
}
aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  return aclimb::Enter("aclrtMallocCached", [&] { return aclimb::Allocate(devPtr, size); });
}
aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy, aclrtMallocConfig*) {
  return aclimb::Enter("aclrtMallocWithCfg", [&] { return aclimb::Allocate(devPtr, size); });
}
aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy,
                                     aclrtMallocConfig*) {
  return aclimb::Enter("aclrtMallocForTaskScheduler",
                       [&] { return aclimb::Allocate(devPtr, size); });
}

aclError aclrtFree(void* devPtr) {
  return aclimb::Enter("aclrtFree", [&] { return aclimb::FreeDevice(devPtr); });
}
aclError aclrtFreeWithDevSync(void* devPtr) {
  return aclimb::Enter("aclrtFreeWithDevSync", [&] { return aclimb::FreeAfterSync(devPtr); });
}

aclError aclrtMemFlush(void* devPtr, size_t size) {
  return aclimb::Enter("aclrtMemFlush", [&] { return aclimb::CheckCacheRange(devPtr, size); });
}
aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  return aclimb::Enter("aclrtMemInvalidate", [&] { return aclimb::CheckCacheRange(devPtr, size); });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return aclimb::Enter("aclrtGetMemInfo", [&]() -> aclimb::Status {
    if (free == nullptr) return aclimb::NullArgument("free");
    if (total == nullptr) return aclimb::NullArgument("total");
    if (attr < ACL_DDR_MEM || attr > ACL_MEM_P2P_HUGE1G) {
      return aclimb::BadValue("attr", attr, "an aclrtMemAttr", "memory/attr");
    }
    aclimb::Result<aclimb::ContextRef> context = aclimb::CurrentContext();
    if (!context.ok()) return context.TakeStatus();
    uint64_t free_bytes = 0;
    uint64_t total_bytes = 0;
    aclimb::Backend().memory_info(context.value()->device->handle, &free_bytes, &total_bytes);
    *free = free_bytes;
    *total = total_bytes;
    return aclimb::Ok();
  });
}

aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  return aclimb::Enter("aclrtMemGetAddressRange", [&]() -> aclimb::Status {
    if (ptr == nullptr) return aclimb::NullArgument("ptr");
    AclimbAllocation allocation;
    if (!aclimb::FindAllocation(ptr, &allocation) && !aclimb::FindMappedHost(ptr, &allocation)) {
      return aclimb::CheckDevice("ptr", ptr, 1);
    }
    if (pbase != nullptr) *pbase = const_cast<void*>(allocation.base);
    if (psize != nullptr) *psize = allocation.requested;
    return aclimb::Ok();
  });
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return aclimb::Enter("aclrtPointerGetAttributes", [&]() -> aclimb::Status {
    if (ptr == nullptr) return aclimb::NullArgument("ptr");
    if (attributes == nullptr) return aclimb::NullArgument("attributes");
    aclrtPtrAttributes result = {};
    result.pageSize = 4096;
    AclimbAllocation allocation;
    if (aclimb::FindAllocation(ptr, &allocation)) {
      result.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
      result.location.id = static_cast<uint32_t>(allocation.device);
    } else if (aclimb::IsPinnedHost(ptr, 1)) {
      result.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    } else {
      result.location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    }
    *attributes = result;
    return aclimb::Ok();
  });
}

}  // extern "C"
