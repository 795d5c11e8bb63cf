#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "acl/acl_rt.h"
#include "aclimb/backend/backend.h"
#include "aclimb/core/status.h"

namespace aclimb {

// Device memory that the program maps into reserved addresses itself. Several handles may stand for
// one piece: that of aclrtMallocPhysical, and those of its imports.
struct PhysicalMemory {
  AclimbPhysical* memory = nullptr;
  uint64_t bytes = 0;
  int device = 0;
  int mappings = 0;
  std::vector<void*> handles;
};

// 107017 unless the handle is live.
Result<std::shared_ptr<PhysicalMemory>> FindPhysicalMemory(const void* handle);
// Another handle of the memory; null when the last one was freed.
Status ShareMemory(const std::shared_ptr<PhysicalMemory>& memory, void** handle);

// Whether the address lies in a reserved range, mapped or not.
bool IsReserved(const void* address);
// No mapping begins or ends while it lives. Taken before the lock of the allocations.
class MappingsHeld {
 public:
  MappingsHeld();

 private:
  const std::lock_guard<std::mutex> lock_;
};
// Before the device closes, and when all its allocations are forgotten: unmaps and frees its
// memory, and ends the handles.
void ForgetMappedMemory(int device, const MappingsHeld&);

}  // namespace aclimb
