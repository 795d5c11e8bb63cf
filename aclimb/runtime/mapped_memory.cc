#include "aclimb/runtime/mapped_memory.h"

#include <atomic>
#include <iterator>
#include <map>
#include <mutex>

#include "aclimb/core/divide.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/device.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/handle_table.h"
#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

constexpr uint64_t kGranule = ACLIMB_MAPPING_GRANULE;

struct Mapping {
  uint64_t bytes = 0;
  std::shared_ptr<PhysicalMemory> memory;
};

struct Reserved {
  uint64_t bytes = 0;
  std::map<uint64_t, Mapping> mappings;  // by address
};

struct ReservedTable {
  std::mutex mutex;  // held over calls of the backend, none of which waits
  std::map<uint64_t, Reserved> ranges;
  std::vector<std::shared_ptr<PhysicalMemory>> memory;
};
ReservedTable& Table() {
  static auto* const table = new ReservedTable;
  return *table;
}
ForkLock table_lock(Table().mutex);
// Frees of ordinary programs look no further.
std::atomic<int> reserved_count{0};

void* Address(uint64_t key) { return reinterpret_cast<void*>(key); }

Status InvalidMapping(std::string what, const char* fix, const char* rule) {
  return Refuse(kRtParamInvalid, std::move(what), fix, rule);
}

Status CheckGranules(std::string_view name, uint64_t bytes) {
  if (bytes % kGranule == 0) return Ok();
  return InvalidMapping(Cat(name, " is ", bytes, "; expected a multiple of ", kGranule, "."),
                        "ask aclrtMemGetAllocationGranularity, and round up",
                        "runtime/mapping/granularity");
}

Status CheckFlags(uint64_t flags, uint64_t most) {
  if (flags <= most) return Ok();
  return BadValue("flags", static_cast<int64_t>(flags), most == 0 ? "0" : "0 or 1",
                  "mapping/flags");
}

// Why the backend gave nothing.
Status NotGiven(int code, const char* what, uint64_t bytes) {
  if (const SystemRefusal refusal = TakeSystemRefusal()) {
    return Refuse(code, Cat("size is ", bytes, " but ", refusal.what), refusal.fix,
                  "runtime/memory/refused");
  }
  return Refuse(code, Cat("size is ", bytes, "; expected that many bytes of ", what, "."),
                "ask for less, or raise ACLIMB_MEMORY", "runtime/memory/exhausted");
}

Status Reserve(void** address, size_t size, size_t alignment, const void* expected,
               uint64_t flags) {
  if (address == nullptr) return NullArgument("virPtr");
  if (size == 0) return ZeroSize("size");
  if (alignment > kGranule || (alignment & (alignment - 1)) != 0) {
    return BadValue("alignment", static_cast<int64_t>(alignment),
                    Cat("0, or a power of two up to ", kGranule), "mapping/alignment");
  }
  if (expected != nullptr) {
    return InvalidMapping(Cat("expectPtr is ", AddressText(expected), "; expected null."),
                          "let the runtime choose the addresses",
                          "runtime/mapping/expected-address");
  }
  ACLIMB_CHECK_OK(CheckFlags(flags, 1));
  Result<const AclimbBackend*> backend = LoadedBackend();
  if (!backend.ok()) return backend.TakeStatus();
  // Frameworks reserve a few bytes, before they set a device, to see whether they can.
  constexpr size_t kMost = size_t{1} << 60;
  const uint64_t bytes = RoundUp(size < kMost ? size : kMost, kGranule);
  ReservedTable& table = Table();
  std::lock_guard<std::mutex> lock(table.mutex);
  void* made = nullptr;
  const int code = backend.value()->range_reserve(bytes, &made);
  if (code != 0) return NotGiven(code, "addresses", size);
  try {
    table.ranges[Key(made)].bytes = bytes;
  } catch (...) {
    Backend().range_release(made);
    throw;
  }
  reserved_count.fetch_add(1, std::memory_order_release);
  *address = made;
  return Ok();
}

Status Release(const void* address) {
  if (address == nullptr) return NullArgument("virPtr");
  ReservedTable& table = Table();
  std::lock_guard<std::mutex> lock(table.mutex);
  const auto found = table.ranges.find(Key(address));
  if (found == table.ranges.end()) {
    return InvalidMapping(Cat("virPtr is ", AddressText(address),
                              ", which is no reserved range's start; expected an address of "
                              "aclrtReserveMemAddress."),
                          "release each range once", "runtime/mapping/not-reserved");
  }
  if (!found->second.mappings.empty()) {
    return InvalidMapping(
        Cat("virPtr is ", AddressText(address), ", whose range has ", found->second.mappings.size(),
            " mappings, the first at ", AddressText(Address(found->second.mappings.begin()->first)),
            "; expected none."),
        "unmap them first with aclrtUnmapMem", "runtime/mapping/still-mapped");
  }
  Backend().range_release(Address(found->first));
  table.ranges.erase(found);
  reserved_count.fetch_sub(1, std::memory_order_release);
  return Ok();
}

Status CheckProperties(const aclrtPhysicalMemProp* prop) {
  if (prop == nullptr) return NullArgument("prop");
  if (prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE) {
    return NotSupported(Cat("prop.location.type is ", static_cast<int>(prop->location.type),
                            "; expected ACL_MEM_LOCATION_TYPE_DEVICE."),
                        "map device memory, and copy", "runtime/mapping/location");
  }
  if (prop->handleType != ACL_MEM_HANDLE_TYPE_NONE &&
      prop->handleType != ACL_MEM_HANDLE_TYPE_POSIX) {
    return BadValue("prop.handleType", prop->handleType, "an aclrtMemHandleType",
                    "mapping/handle-type");
  }
  if (prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED) {
    return BadValue("prop.allocationType", prop->allocationType, "an aclrtMemAllocationType",
                    "mapping/allocation-type");
  }
  if (prop->memAttr < ACL_DDR_MEM || prop->memAttr > ACL_MEM_P2P_HUGE1G) {
    return BadValue("prop.memAttr", prop->memAttr, "an aclrtMemAttr", "memory/attr");
  }
  return Ok();
}

// Under the table's lock.
Status AddHandle(const std::shared_ptr<PhysicalMemory>& memory, void** handle) {
  memory->handles.reserve(memory->handles.size() + 1);
  void* const made = CreateShared(ACLIMB_HANDLE_PHYSICAL_MEMORY, memory);
  if (made == nullptr) {
    return Refuse(kRtResourceAllocFail,
                  "the process has no handle left for another piece of memory; expected fewer live "
                  "objects.",
                  "destroy what is not needed", "runtime/handle/exhausted");
  }
  memory->handles.push_back(made);
  *handle = made;
  return Ok();
}

Status AllocatePhysical(void** handle, size_t size, const aclrtPhysicalMemProp* prop,
                        uint64_t flags) {
  if (handle == nullptr) return NullArgument("handle");
  if (size == 0) return ZeroSize("size");
  ACLIMB_CHECK_OK(CheckProperties(prop));
  ACLIMB_CHECK_OK(CheckGranules("size", size));
  ACLIMB_CHECK_OK(CheckFlags(flags, 0));
  Result<Device*> device = FindDevice(static_cast<int32_t>(prop->location.id), "prop.location.id");
  if (!device.ok()) return device.TakeStatus();
  // With the device open, and until it cannot be closed without this memory.
  std::lock_guard<std::mutex> process(ProcessMutex());
  if (!device.value()->open) return NoContext();
  ReservedTable& table = Table();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto made = std::make_shared<PhysicalMemory>();
  made->bytes = size;
  made->device = device.value()->id;
  table.memory.reserve(table.memory.size() + 1);
  const int code = Backend().physical_allocate(device.value()->handle, size, &made->memory);
  if (code != 0) return NoDeviceMemory(code, size, *device.value());
  Status added = Ok();
  try {
    added = AddHandle(made, handle);
  } catch (...) {
    Backend().physical_free(made->memory);
    throw;
  }
  if (!added.ok()) {
    Backend().physical_free(made->memory);
    return added;
  }
  table.memory.push_back(std::move(made));
  return Ok();
}

Status FreePhysical(void* handle) {
  if (handle == nullptr) return NullArgument("handle");
  ReservedTable& table = Table();
  std::lock_guard<std::mutex> lock(table.mutex);
  Result<std::shared_ptr<PhysicalMemory>> found = FindPhysicalMemory(handle);
  if (!found.ok()) return found.TakeStatus();
  PhysicalMemory& memory = *found.value();
  const bool last = memory.handles.size() == 1;
  if (last && memory.mappings > 0) {
    return InvalidMapping(
        Cat("handle is ", AddressText(handle), ", whose memory is mapped at ", memory.mappings,
            " addresses; expected memory that is mapped nowhere."),
        "unmap it first with aclrtUnmapMem", "runtime/mapping/still-mapped");
  }
  ReleaseShared<PhysicalMemory>(handle, ACLIMB_HANDLE_PHYSICAL_MEMORY);
  std::erase(memory.handles, handle);
  if (!last) return Ok();
  Backend().physical_free(memory.memory);
  std::erase(table.memory, found.value());
  return Ok();
}

// The first mapping of a range that has a byte of [begin, begin + bytes).
std::map<uint64_t, Mapping>::iterator FirstIn(Reserved& range, uint64_t begin, uint64_t bytes) {
  auto mapping = range.mappings.lower_bound(begin);
  if (mapping != range.mappings.begin()) {
    const auto before = std::prev(mapping);
    if (before->first + before->second.bytes > begin) return before;
  }
  const bool inside = mapping != range.mappings.end() && mapping->first < begin + bytes;
  return inside ? mapping : range.mappings.end();
}

Status Map(void* address, size_t size, size_t offset, void* handle, uint64_t flags) {
  if (address == nullptr) return NullArgument("virPtr");
  if (handle == nullptr) return NullArgument("handle");
  if (size == 0) return ZeroSize("size");
  ACLIMB_CHECK_OK(CheckGranules("size", size));
  ACLIMB_CHECK_OK(CheckGranules("offset", offset));
  ACLIMB_CHECK_OK(CheckFlags(flags, 0));
  ReservedTable& table = Table();
  std::lock_guard<std::mutex> lock(table.mutex);
  Result<std::shared_ptr<PhysicalMemory>> memory = FindPhysicalMemory(handle);
  if (!memory.ok()) return memory.TakeStatus();
  const uint64_t begin = Key(address);
  auto range = table.ranges.upper_bound(begin);
  const bool first = range == table.ranges.begin();
  if (!first) --range;
  if (first || begin - range->first >= range->second.bytes ||
      size > range->second.bytes - (begin - range->first)) {
    return InvalidMapping(Cat("virPtr is ", AddressText(address), " with a size of ", size,
                              ", which lies in no reserved range; expected to stay inside one."),
                          "reserve the addresses first with aclrtReserveMemAddress",
                          "runtime/mapping/not-reserved");
  }
  if ((begin - range->first) % kGranule != 0) {
    return InvalidMapping(Cat("virPtr is ", AddressText(address), ", ", begin - range->first,
                              " bytes into its range; expected a multiple of ", kGranule, "."),
                          "map at multiples of the granularity", "runtime/mapping/granularity");
  }
  const auto other = FirstIn(range->second, begin, size);
  if (other != range->second.mappings.end()) {
    return InvalidMapping(Cat("virPtr is ", AddressText(address), " with a size of ", size,
                              ", of which the bytes from ", AddressText(Address(other->first)),
                              " on are mapped already; expected addresses that are not."),
                          "unmap what is there with aclrtUnmapMem", "runtime/mapping/twice");
  }
  PhysicalMemory& physical = *memory.value();
  if (offset > physical.bytes || size > physical.bytes - offset) {
    return InvalidMapping(Cat("size is ", size, " at the offset ", offset, " but the memory has ",
                              physical.bytes, " bytes; expected to stay inside it."),
                          "map less, or allocate more with aclrtMallocPhysical",
                          "runtime/mapping/past-end");
  }
  Result<Device*> device = FindDevice(physical.device, "handle");
  if (!device.ok()) return device.TakeStatus();
  const auto made = range->second.mappings.emplace(begin, Mapping{size, memory.value()}).first;
  const int code = Backend().range_map(address, size, physical.memory, offset);
  if (code != 0) {
    range->second.mappings.erase(made);
    return NotGiven(code, "mappings", size);
  }
  AclimbAllocation mapped = {};
  mapped.base = address;
  mapped.requested = mapped.usable = size;
  mapped.device = physical.device;
  mapped.kernel_base = Backend().memory_kernel_address(device.value()->handle, address);
  try {
    AddMapped(mapped, range->first, range->first + range->second.bytes);
  } catch (...) {
    Backend().range_unmap(address, size);
    range->second.mappings.erase(made);
    throw;
  }
  ++physical.mappings;
  return Ok();
}

void EndMapping(Reserved& range, std::map<uint64_t, Mapping>::iterator mapping) {
  Backend().range_unmap(Address(mapping->first), mapping->second.bytes);
  --mapping->second.memory->mappings;
  range.mappings.erase(mapping);
}

Status Unmap(const void* address) {
  if (address == nullptr) return NullArgument("virPtr");
  ReservedTable& table = Table();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto range = table.ranges.upper_bound(Key(address));
  if (range != table.ranges.begin()) {
    --range;
    const auto mapping = range->second.mappings.find(Key(address));
    if (mapping != range->second.mappings.end()) {
      RemoveMapped(mapping->first, mapping->second.bytes);
      EndMapping(range->second, mapping);
      return Ok();
    }
  }
  return InvalidMapping(Cat("virPtr is ", AddressText(address),
                            ", where no mapping begins; expected an address of aclrtMapMem."),
                        "unmap each mapping once, by the address at which it was made",
                        "runtime/mapping/not-mapped");
}

}  // namespace

Result<std::shared_ptr<PhysicalMemory>> FindPhysicalMemory(const void* handle) {
  std::shared_ptr<PhysicalMemory> found =
      ResolveShared<PhysicalMemory>(handle, ACLIMB_HANDLE_PHYSICAL_MEMORY);
  if (found == nullptr) return DeadHandle("handle", handle, "physical memory handle");
  return found;
}

Status ShareMemory(const std::shared_ptr<PhysicalMemory>& memory, void** handle) {
  std::lock_guard<std::mutex> lock(Table().mutex);
  *handle = nullptr;
  return memory->handles.empty() ? Ok() : AddHandle(memory, handle);
}

bool IsReserved(const void* address) {
  if (reserved_count.load(std::memory_order_acquire) == 0) return false;
  ReservedTable& table = Table();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto range = table.ranges.upper_bound(Key(address));
  if (range == table.ranges.begin()) return false;
  --range;
  return Key(address) - range->first < range->second.bytes;
}

MappingsHeld::MappingsHeld() : lock_(Table().mutex) {}

void ForgetMappedMemory(int device, const MappingsHeld&) {
  ReservedTable& table = Table();
  for (auto& [begin, range] : table.ranges) {
    for (auto mapping = range.mappings.begin(); mapping != range.mappings.end();) {
      const auto next = std::next(mapping);
      if (mapping->second.memory->device == device) EndMapping(range, mapping);
      mapping = next;
    }
  }
  std::erase_if(table.memory, [device](const std::shared_ptr<PhysicalMemory>& memory) {
    if (memory->device != device) return false;
    for (void* handle : memory->handles) {
      ReleaseShared<PhysicalMemory>(handle, ACLIMB_HANDLE_PHYSICAL_MEMORY);
    }
    memory->handles.clear();
    Backend().physical_free(memory->memory);
    return true;
  });
}

}  // namespace aclimb

extern "C" {

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                uint64_t flags) {
  return aclimb::Enter("aclrtReserveMemAddress",
                       [&] { return aclimb::Reserve(virPtr, size, alignment, expectPtr, flags); });
}

aclError aclrtReleaseMemAddress(void* virPtr) {
  return aclimb::Enter("aclrtReleaseMemAddress", [&] { return aclimb::Release(virPtr); });
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                             const aclrtPhysicalMemProp* prop, uint64_t flags) {
  return aclimb::Enter("aclrtMallocPhysical",
                       [&] { return aclimb::AllocatePhysical(handle, size, prop, flags); });
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return aclimb::Enter("aclrtFreePhysical", [&] { return aclimb::FreePhysical(handle); });
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                     uint64_t flags) {
  return aclimb::Enter("aclrtMapMem",
                       [&] { return aclimb::Map(virPtr, size, offset, handle, flags); });
}

aclError aclrtUnmapMem(void* virPtr) {
  return aclimb::Enter("aclrtUnmapMem", [&] { return aclimb::Unmap(virPtr); });
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,
                                          aclrtMemGranularityOptions option, size_t* granularity) {
  return aclimb::Enter("aclrtMemGetAllocationGranularity", [&]() -> aclimb::Status {
    if (granularity == nullptr) return aclimb::NullArgument("granularity");
    ACLIMB_CHECK_OK(aclimb::CheckProperties(prop));
    if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM &&
        option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
      return aclimb::BadValue("option", option, "the minimum (0) or the recommended one (1)",
                              "mapping/granularity-option");
    }
    *granularity = aclimb::kGranule;
    return aclimb::Ok();
  });
}

}  // extern "C"
