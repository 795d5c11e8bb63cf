// check/memory/double-free
#include "program.h"

static void Mistake(Session&) {
  void* memory = Zeroed(64);
  MUST(aclrtFree(memory));
  if (WRONG) (void)aclrtFree(memory);  // here
}

PROGRAM(double_free)
