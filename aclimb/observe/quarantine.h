#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "aclimb/backend/backend.h"
#include "aclimb/core/fork.h"

namespace aclimb::observe {

// Freed memory that is not yet given back: up to an eighth of each device, 64 MiB of the host's and
// 4096 blocks of each, the oldest first. What still uses it meets its own old data, not somebody
// else's. A null device stands for the host.
class Quarantine {
 public:
  explicit Quarantine(const AclimbBackend& backend) : backend_(backend) {}

  // `bytes` are what the allocation takes from the free memory of its device.
  void Allocated(AclimbDevice* device, void* address, uint64_t bytes) noexcept;
  // Instead of memory_free or host_free. False when the caller has to free.
  bool Keep(AclimbDevice* device, void* address) noexcept;
  // Gives back all of the device. False when there was nothing.
  bool GiveBack(AclimbDevice* device) noexcept;
  // The device is closed and takes everything along.
  void Forget(AclimbDevice* device) noexcept;
  uint64_t BytesOf(AclimbDevice* device) noexcept;

 private:
  struct Block {
    void* address;
    uint64_t bytes;
    uint64_t ticket;  // of its device memory: the work that was queued before the program's free
  };
  struct Device {
    std::unordered_map<void*, uint64_t> live;  // bytes
    std::deque<Block> kept;
    uint64_t bytes = 0;
    uint64_t most = 0;
  };

  // Under mutex_.
  void FreeOldest(AclimbDevice* device, Device& of);

  const AclimbBackend& backend_;
  std::mutex mutex_;
  ForkLock<std::mutex> fork_lock_{mutex_};
  std::unordered_map<AclimbDevice*, Device> devices_;
};

}  // namespace aclimb::observe
