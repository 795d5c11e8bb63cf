#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_rt.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/status.h"
#include "aclimb/runtime/device.h"

namespace aclimb {

// What the tables of memory are ordered by.
inline uint64_t Key(const void* address) { return reinterpret_cast<uint64_t>(address); }

// The live device allocation around an address; false when there is none.
bool FindAllocation(const void* address, AclimbAllocation* allocation);
// 207001 (`code`): the backend has just refused `size` bytes of the device's memory.
Status NoDeviceMemory(int code, uint64_t size, const Device& device);
// Frees the allocation, unless it has ended already.
void FreeIfLive(const AclimbAllocation& allocation);
// Every allocation of the device ends; late frees of them are refused, not fatal.
void ForgetDeviceMemory(int device);

// Mapped memory becomes an allocation, one with its neighbours of the same device within the range
// [begin, end) that the program reserved.
void AddMapped(const AclimbAllocation& mapped, uint64_t begin, uint64_t end);
// It ends, and what was one with it goes on.
void RemoveMapped(uint64_t base, uint64_t bytes);

// Memory on the page-locked list: aclrtMallocHost, aclrtHostRegister.
bool IsPinnedHost(const void* address, uint64_t bytes);

// The host memory around an address that devices see too, at the same address: registered by the
// program, or page-locked and asked for with aclrtHostGetDevicePointer. False when there is none.
bool FindMappedHost(const void* address, AclimbAllocation* allocation);

// What one side of a copy is. Mapped host memory stands for either.
enum class Place { kHost, kDevice, kMapped };

// Where `bytes` at `address` lie. Refuses (107000) device memory that is not live or is run past.
Result<Place> PlaceOf(const char* argument, const void* address, uint64_t bytes);
// 107000 unless both places are what the kind says.
Status CheckKind(aclrtMemcpyKind kind, Place dst, Place src);
// 107000 unless it is device memory.
Status CheckDevice(const char* argument, const void* address, uint64_t bytes);

// Rows of `width` bytes; a plain copy is one row.
struct CopyShape {
  void* dst;
  size_t dst_pitch;
  const void* src;
  size_t src_pitch;
  size_t width;
  size_t height;
  uint64_t dst_bytes() const { return height == 0 ? 0 : dst_pitch * (height - 1) + width; }
  uint64_t src_bytes() const { return height == 0 ? 0 : src_pitch * (height - 1) + width; }
};

}  // namespace aclimb
