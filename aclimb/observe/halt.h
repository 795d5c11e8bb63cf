#pragma once

#include "aclimb/bridge/bridge.h"

namespace aclimb::observe {

// While it lives, a halt that the calling thread queues (queue_suspend) is not for a callback of
// the program: tools hear of it by this name, and of what is done meanwhile. The operation lives
// until the queue goes on.
class HaltFor {
 public:
  // `name` is static text; `operation` may be null.
  HaltFor(const char* name, const AclimbOperation* operation) noexcept;
  ~HaltFor();
  HaltFor(const HaltFor&) = delete;
  HaltFor& operator=(const HaltFor&) = delete;
};

}  // namespace aclimb::observe
