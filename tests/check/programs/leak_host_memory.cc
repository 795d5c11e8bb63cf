// check/leak/host-memory
#include "program.h"

static void Mistake(Session&) {
  void* memory = nullptr;
  MUST(aclrtMallocHost(&memory, 256));  // here
  if (!WRONG) MUST(aclrtFreeHost(memory));
}

PROGRAM(leak_host_memory)
