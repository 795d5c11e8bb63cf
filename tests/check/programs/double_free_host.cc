// check/memory/double-free
#include "program.h"

static void Mistake(Session&) {
  void* memory = nullptr;
  MUST(aclrtMallocHost(&memory, 64));
  MUST(aclrtFreeHost(memory));
  if (WRONG) (void)aclrtFreeHost(memory);  // here
}

PROGRAM(double_free_host)
