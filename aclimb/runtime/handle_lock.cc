#include <cstdint>
#include <mutex>

#include "aclimb/bridge/bridge.h"

namespace aclimb {
namespace {

// One of a few mutexes, chosen by the handle: callers that race for one object meet at the same
// one, whether or not the object still lives.
std::mutex& MutexOf(const void* handle) {
  constexpr uint64_t kCount = 64;
  static auto* const mutexes = new std::mutex[kCount];  // leaked: used until the process ends
  return mutexes[(reinterpret_cast<uint64_t>(handle) >> 4) % kCount];
}

}  // namespace
}  // namespace aclimb

extern "C" void aclimb_handle_lock(const void* handle) { aclimb::MutexOf(handle).lock(); }
extern "C" void aclimb_handle_unlock(const void* handle) { aclimb::MutexOf(handle).unlock(); }
