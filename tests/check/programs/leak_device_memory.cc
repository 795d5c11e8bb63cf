// check/leak/device-memory
#include "program.h"

static void Mistake(Session&) {
  void* memory = nullptr;
  for (int i = 0; i < 3; ++i) {
    MUST(aclrtMalloc(&memory, 256, ACL_MEM_MALLOC_HUGE_FIRST));  // here
    if (!WRONG) MUST(aclrtFree(memory));
  }
}

PROGRAM(leak_device_memory)
