// check/race/copy-before-sync
#include "mapped.h"

static void Mistake(Session& session) {
  char host[64];
  const Mapped mapped;
  // The fill is of both pieces, the copy of the second.
  MUST(aclrtMemsetAsync(mapped.first, 2 * mapped.piece, 0, 2 * mapped.piece, session.stream));
  if (!WRONG) MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtMemcpy(host, 64, mapped.second, 64, ACL_MEMCPY_DEVICE_TO_HOST));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtUnmapMem(mapped.first));
  MUST(aclrtUnmapMem(mapped.second));
}

PROGRAM(mapped_copy_before_sync)
