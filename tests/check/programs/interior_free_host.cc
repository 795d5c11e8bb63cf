// check/memory/interior-free
#include "program.h"

static void Mistake(Session&) {
  void* memory = nullptr;
  MUST(aclrtMallocHost(&memory, 64));
  if (WRONG) (void)aclrtFreeHost(static_cast<char*>(memory) + 16);  // here
  MUST(aclrtFreeHost(memory));
}

PROGRAM(interior_free_host)
