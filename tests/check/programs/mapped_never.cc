// check/memory/not-allocated
#include "mapped.h"

static void Mistake(Session&) {
  const Mappable mappable;
  MUST(aclrtMapMem(mappable.first, mappable.piece, 0, mappable.memory, 0));
  if (WRONG) (void)aclrtUnmapMem(mappable.second);  // here
  MUST(aclrtUnmapMem(mappable.first));
}

PROGRAM(mapped_never)
