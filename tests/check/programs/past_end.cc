// check/memory/past-end
#include "program.h"

static void Mistake(Session&) {
  void* memory = Allocate(64);
  const size_t bytes = WRONG ? 4096 : 64;
  (void)aclrtMemset(memory, bytes, 0, bytes);  // here
  MUST(aclrtFree(memory));
}

PROGRAM(past_end)
