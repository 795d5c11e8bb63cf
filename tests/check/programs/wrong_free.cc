// check/memory/wrong-free
#include "program.h"

static void Mistake(Session&) {
  void* memory = nullptr;
  MUST(aclrtMallocHost(&memory, 64));
  if (WRONG) (void)aclrtFree(memory);  // here
  MUST(aclrtFreeHost(memory));
}

PROGRAM(wrong_free)
