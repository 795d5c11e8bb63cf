#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "acl/acl_mdl.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/status.h"

namespace aclimb {

// The allocations that a thread found last, so that a program in its stride takes no lock. Of use
// until some allocation is gone.
struct RecentAllocations {
  static constexpr size_t kCount = 8;   // a convolution has seven
  AclimbAllocation found[kCount] = {};  // none where `usable` is 0
  size_t next = 0;
  uint64_t removals = 0;  // of allocations when they were found

  const AclimbAllocation* Find(const void* address, uint64_t now) const {
    if (removals != now) return nullptr;
    for (const AclimbAllocation& allocation : found) {
      const uint64_t offset =
          reinterpret_cast<uint64_t>(address) - reinterpret_cast<uint64_t>(allocation.base);
      if (offset < allocation.usable) return &allocation;
    }
    return nullptr;
  }
  void Keep(const AclimbAllocation& allocation, uint64_t now) {
    if (removals != now) *this = RecentAllocations{.removals = now};
    found[next++ % kCount] = allocation;
  }
};

// What the runtime remembers of one thread. The main thread's is never destroyed: programs call us
// from static destructors, after thread-local objects are gone.
struct ThreadState {
  // What a thread has that has called nothing yet.
  void Reset() noexcept {
    number = NewNumber();
    capture_mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    context = nullptr;
    last_error = 0;
    last_task = 0;
    unread.clear();
    unread_bytes = 0;
    newest_is_answer = false;
    returned.clear();
    launch_refusal = Status();
  }

  // Addresses and the system's numbers of threads that have ended are used again; this one is not.
  static uint64_t NewNumber() noexcept {
    static std::atomic<uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  uint64_t number = NewNumber();
  // What the thread lets captures forbid it.
  aclmdlRICaptureMode capture_mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  void* context = nullptr;  // handle of the current context; it may be dead by now
  int last_error = 0;
  uint32_t last_task = 0;
  std::deque<std::string> unread;  // newest first
  size_t unread_bytes = 0;
  bool newest_is_answer = false;  // see core/answers.h
  std::string returned;           // what aclGetRecentErrMsg gave last
  Status launch_refusal;          // why aclimb_launch refused last
  RecentAllocations allocations;
};

// Made when first asked for; throws without memory.
ThreadState& ThisThread();
// Null when nothing was asked of it yet.
ThreadState* ThisThreadOrNull() noexcept;

}  // namespace aclimb
