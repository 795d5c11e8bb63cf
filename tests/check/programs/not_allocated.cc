// check/memory/not-allocated
#include "program.h"

static void Mistake(Session&) {
  char* memory = static_cast<char*>(Zeroed(64));
  if (WRONG) memory += 1 << 30;
  (void)aclrtMemset(memory, 64, 0, 64);  // here
  if (WRONG) memory -= 1 << 30;
  MUST(aclrtFree(memory));
}

PROGRAM(not_allocated)
