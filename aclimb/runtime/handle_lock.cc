#include <cstdint>
#include <mutex>

#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/handle_table.h"

namespace aclimb {

std::mutex& HandleMutex(const void* handle) {
  constexpr uint64_t kCount = 64;
  static auto* const mutexes = new std::mutex[kCount];  // leaked: used until the process ends
  return mutexes[(reinterpret_cast<uint64_t>(handle) >> 4) % kCount];
}

}  // namespace aclimb

extern "C" void aclimb_handle_lock(const void* handle) { aclimb::HandleMutex(handle).lock(); }
extern "C" void aclimb_handle_unlock(const void* handle) { aclimb::HandleMutex(handle).unlock(); }
