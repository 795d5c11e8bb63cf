// check/memory/wrong-free
#include "mapped.h"

static void Mistake(Session&) {
  const Mapped memory;
  if (WRONG) (void)aclrtFree(memory.address);  // here
  MUST(aclrtUnmapMem(memory.address));
}

PROGRAM(mapped_wrong_free)
