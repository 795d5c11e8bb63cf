// check/memory/interior-free
#include "mapped.h"

static void Mistake(Session&) {
  const Mappable mappable;
  MUST(aclrtMapMem(mappable.first, 2 * mappable.piece, 0, mappable.memory, 0));
  if (WRONG) (void)aclrtUnmapMem(mappable.second);  // here
  MUST(aclrtUnmapMem(mappable.first));
}

PROGRAM(mapped_interior_free)
