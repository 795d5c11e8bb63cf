#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "aclimb/core/status.h"

namespace aclimb {

// What the runtime remembers of one thread. The main thread's is never destroyed: programs call us
// from static destructors, after thread-local objects are gone.
struct ThreadState {
  void* context = nullptr;  // handle of the current context; it may be dead by now
  int last_error = 0;
  uint32_t last_task = 0;
  std::deque<std::string> unread;  // newest first
  size_t unread_bytes = 0;
  std::string returned;   // what aclGetRecentErrMsg gave last
  Status launch_refusal;  // why aclimb_launch refused last
};

ThreadState& ThisThread();

}  // namespace aclimb
