// check/memory/use-after-free
#include "mapped.h"

static void Mistake(Session&) {
  char host[64];
  const Mapped mapped;
  if (WRONG) MUST(aclrtUnmapMem(mapped.first));
  (void)aclrtMemcpy(host, 64, mapped.first, 64, ACL_MEMCPY_DEVICE_TO_HOST);  // here
  if (!WRONG) MUST(aclrtUnmapMem(mapped.first));
  MUST(aclrtUnmapMem(mapped.second));
}

PROGRAM(mapped_use_after_free)
