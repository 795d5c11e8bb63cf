// check/memory/double-free
#include "mapped.h"

static void Mistake(Session&) {
  const Mapped mapped;
  MUST(aclrtUnmapMem(mapped.first));
  MUST(aclrtUnmapMem(mapped.second));
  if (WRONG) (void)aclrtUnmapMem(mapped.second);  // here
}

PROGRAM(mapped_double_free)
