// A library that keeps what it has until the device is reset, and leaves refusals alone, as
// frameworks do.
#include <cstdlib>

#include "acl/acl.h"

extern "C" __attribute__((visibility("default"))) void KeepSome() {
  static void* memory = nullptr;
  static aclrtStream stream = nullptr;
  if (aclrtMalloc(&memory, 256, ACL_MEM_MALLOC_HUGE_FIRST) != 0) std::abort();
  if (aclrtCreateStream(&stream) != 0) std::abort();
  void* none = nullptr;
  if (aclrtMalloc(&none, 0, ACL_MEM_MALLOC_HUGE_FIRST) == 0) std::abort();
}
