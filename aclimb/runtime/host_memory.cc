#include <map>
#include <mutex>
#include <shared_mutex>

#include "acl/acl_rt.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/context.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/synchronize.h"

namespace aclimb {
namespace {

struct HostBlock {
  uint64_t bytes;
  bool registered;  // the program's own memory, not ours
  bool mapped;      // the program knows an address for devices
  int device;       // that was current when it was made
};

// Page-locked host memory, by address.
struct HostTable {
  std::shared_mutex mutex;
  std::map<uint64_t, HostBlock> blocks;
};
HostTable& Hosts() {
  static auto* const table = new HostTable;
  return *table;
}
ForkLock hosts_lock(Hosts().mutex);

Status AllocateHost(void** address, uint64_t size, const char* name) {
  if (address == nullptr) return NullArgument(name);
  if (size == 0) return ZeroSize("size");
  Result<ContextRef> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  void* memory = nullptr;
  const int code = Backend().host_allocate(size, &memory);
  if (code != 0) {
    if (const SystemRefusal refusal = TakeSystemRefusal()) {
      return Refuse(code, Cat("size is ", size, " but ", refusal.what), refusal.fix,
                    "runtime/host-memory/exhausted");
    }
    return Refuse(code, Cat("size is ", size, ", more than the machine gives; expected less."),
                  "free host memory", "runtime/host-memory/exhausted");
  }
  HostTable& table = Hosts();
  std::unique_lock<std::shared_mutex> lock(table.mutex);
  try {
    table.blocks.insert_or_assign(Key(memory),
                                  HostBlock{size, false, false, context.value()->device->id});
  } catch (...) {
    Backend().host_free(memory);
    throw;
  }
  *address = memory;
  return Ok();
}

Status FreeHost(void* address) {
  if (address == nullptr) return NullArgument("hostPtr");
  {
    HostTable& table = Hosts();
    std::unique_lock<std::shared_mutex> lock(table.mutex);
    const auto it = table.blocks.find(Key(address));
    if (it == table.blocks.end() || it->second.registered) {
      return Refuse(kRtParamInvalid,
                    Cat("hostPtr is ", AddressText(address),
                        "; expected an address of aclrtMallocHost that was not freed."),
                    "free device memory with aclrtFree and the program's own memory as it was made",
                    "runtime/host-memory/free-unknown");
    }
    table.blocks.erase(it);
  }
  Backend().host_free(address);
  return Ok();
}

Status FreeHostAfterSync(void* address) {
  if (address == nullptr) return NullArgument("hostPtr");
  ACLIMB_CHECK_OK(SynchronizeCurrentDevice(-1));
  return FreeHost(address);
}

Status Register(void* address, uint64_t size) {
  if (address == nullptr) return NullArgument("ptr");
  if (size == 0) return ZeroSize("size");
  Result<ContextRef> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  constexpr uint64_t kPage = 4096;
  if (Key(address) % kPage != 0) {
    return Refuse(
        kRtParamInvalid, Cat("ptr is ", AddressText(address), "; expected a multiple of 4096."),
        "allocate the memory with aligned_alloc(4096, size)", "runtime/host-register/alignment");
  }
  // No system gives a program higher ones.
  constexpr uint64_t kAddresses = uint64_t{1} << 57;
  if (Key(address) >= kAddresses || size > kAddresses - Key(address)) {
    return Refuse(kRtParamInvalid,
                  Cat("ptr is ", AddressText(address), " with ", size,
                      " bytes; expected a range that ends below the highest address of a program."),
                  "pass the size of the memory in bytes", "runtime/host-register/past-end");
  }
  const void* const last = reinterpret_cast<const void*>(Key(address) + size - 1);
  if (Backend().memory_is_device(address) != 0 || Backend().memory_is_device(last) != 0) {
    return Refuse(kRtParamInvalid,
                  Cat("ptr is ", AddressText(address), " with ", size,
                      " bytes, which are device addresses; expected host memory."),
                  "use device memory as it is, without registering it",
                  "runtime/host-register/device-address");
  }
  HostTable& table = Hosts();
  std::unique_lock<std::shared_mutex> lock(table.mutex);
  auto next = table.blocks.lower_bound(Key(address));
  const bool overlaps_next = next != table.blocks.end() && next->first - Key(address) < size;
  bool overlaps_previous = false;
  if (next != table.blocks.begin()) {
    const auto previous = std::prev(next);
    overlaps_previous = Key(address) - previous->first < previous->second.bytes;
  }
  if (overlaps_next || overlaps_previous) {
    return Refuse(kRtHostAlreadyRegistered,
                  Cat("ptr is ", AddressText(address), " with ", size,
                      " bytes, which overlap page-locked memory; expected memory that is not "
                      "page-locked."),
                  "register each range once", "runtime/host-register/again");
  }
  table.blocks.emplace(Key(address), HostBlock{size, true, true, context.value()->device->id});
  return Ok();
}

// False when the address is in no page-locked memory.
bool MarkMapped(const void* address) {
  HostTable& table = Hosts();
  std::unique_lock<std::shared_mutex> lock(table.mutex);
  auto it = table.blocks.upper_bound(Key(address));
  if (it == table.blocks.begin()) return false;
  --it;
  if (Key(address) - it->first >= it->second.bytes) return false;
  it->second.mapped = true;
  return true;
}

Status Unregister(void* address) {
  if (address == nullptr) return NullArgument("ptr");
  HostTable& table = Hosts();
  std::unique_lock<std::shared_mutex> lock(table.mutex);
  const auto it = table.blocks.find(Key(address));
  if (it == table.blocks.end() || !it->second.registered) {
    return Refuse(
        kRtHostNotRegistered,
        Cat("ptr is ", AddressText(address), "; expected an address that aclrtHostRegister took."),
        "unregister each range once", "runtime/host-register/unknown");
  }
  table.blocks.erase(it);
  return Ok();
}

}  // namespace

bool FindMappedHost(const void* address, AclimbAllocation* allocation) {
  HostTable& table = Hosts();
  std::shared_lock<std::shared_mutex> lock(table.mutex);
  auto it = table.blocks.upper_bound(Key(address));
  if (it == table.blocks.begin()) return false;
  --it;
  if (!it->second.mapped || Key(address) - it->first >= it->second.bytes) return false;
  allocation->base = reinterpret_cast<const void*>(it->first);
  allocation->requested = it->second.bytes;
  allocation->usable = it->second.bytes;  // no slack: what follows is the program's
  allocation->device = it->second.device;
  allocation->kernel_base = reinterpret_cast<void*>(it->first);
  return true;
}

bool IsPinnedHost(const void* address, uint64_t bytes) {
  HostTable& table = Hosts();
  std::shared_lock<std::shared_mutex> lock(table.mutex);
  auto it = table.blocks.upper_bound(Key(address));
  if (it == table.blocks.begin()) return false;
  --it;
  const uint64_t offset = Key(address) - it->first;
  return offset < it->second.bytes && bytes <= it->second.bytes - offset;
}

}  // namespace aclimb

extern "C" {

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return aclimb::Enter("aclrtMallocHost",
                       [&] { return aclimb::AllocateHost(hostPtr, size, "hostPtr"); });
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig*) {
  return aclimb::Enter("aclrtMallocHostWithCfg",
                       [&] { return aclimb::AllocateHost(ptr, size, "ptr"); });
}

aclError aclrtFreeHost(void* hostPtr) {
  return aclimb::Enter("aclrtFreeHost", [&] { return aclimb::FreeHost(hostPtr); });
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  return aclimb::Enter("aclrtFreeHostWithDevSync",
                       [&] { return aclimb::FreeHostAfterSync(hostPtr); });
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  return aclimb::Enter("aclrtHostRegister", [&]() -> aclimb::Status {
    if (devPtr == nullptr) return aclimb::NullArgument("devPtr");
    if (type != ACL_HOST_REGISTER_MAPPED && type != ACL_HOST_REGISTER_IOMEMORY &&
        type != ACL_HOST_REGISTER_READONLY) {
      return aclimb::BadValue("type", type, "an aclrtHostRegisterType", "host-register/type");
    }
    ACLIMB_CHECK_OK(aclimb::Register(ptr, size));
    *devPtr = ptr;  // kernels of the processor see host memory where the host does
    return aclimb::Ok();
  });
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  return aclimb::Enter("aclrtHostRegisterV2", [&]() -> aclimb::Status {
    constexpr uint32_t kKnown =
        ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
    if (flag == 0 || (flag & ~kKnown) != 0) {
      return aclimb::BadValue("flag", flag, "ACL_HOST_REG_* flags", "host-register/flag");
    }
    return aclimb::Register(ptr, size);
  });
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  return aclimb::Enter("aclrtHostGetDevicePointer", [&]() -> aclimb::Status {
    if (pHost == nullptr) return aclimb::NullArgument("pHost");
    if (pDevice == nullptr) return aclimb::NullArgument("pDevice");
    if (flag != 0) return aclimb::BadValue("flag", flag, "0", "host-register/pointer-flag");
    if (!aclimb::MarkMapped(pHost)) {
      return aclimb::Refuse(aclimb::kRtHostNotRegistered,
                            aclimb::Cat("pHost is ", aclimb::AddressText(pHost),
                                        "; expected page-locked host memory."),
                            "register it with aclrtHostRegisterV2 first",
                            "runtime/host-register/unknown");
    }
    *pDevice = pHost;
    return aclimb::Ok();
  });
}

aclError aclrtHostUnregister(void* ptr) {
  return aclimb::Enter("aclrtHostUnregister", [&] { return aclimb::Unregister(ptr); });
}

}  // extern "C"
