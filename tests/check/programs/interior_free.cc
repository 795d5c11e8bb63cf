// check/memory/interior-free
#include "program.h"

static void Mistake(Session&) {
  void* memory = Zeroed(64);
  if (WRONG) (void)aclrtFree(static_cast<char*>(memory) + 16);  // here
  MUST(aclrtFree(memory));
}

PROGRAM(interior_free)
