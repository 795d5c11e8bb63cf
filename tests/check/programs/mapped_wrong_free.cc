// check/memory/wrong-free
#include "mapped.h"

static void Mistake(Session&) {
  const Mapped mapped;
  if (WRONG) (void)aclrtFree(mapped.first);  // here
  MUST(aclrtUnmapMem(mapped.first));
  MUST(aclrtUnmapMem(mapped.second));
}

PROGRAM(mapped_wrong_free)
