// check/leak/device-memory
#include "mapped.h"

static void Mistake(Session&) {
  auto* const mappable = new Mappable;
  MUST(aclrtMapMem(mappable->first, mappable->piece, 0, mappable->memory, 0));  // here
  if (!WRONG) MUST(aclrtUnmapMem(mappable->first));
  if (!WRONG) delete mappable;
}

PROGRAM(leak_mapped)
