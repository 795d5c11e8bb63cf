// check/memory/freed-in-flight
#include "mapped.h"

static void Mistake(Session& session) {
  const Mapped mapped;
  MUST(aclrtMemsetAsync(mapped.first, 64, 0, 64, session.stream));
  if (!WRONG) MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtUnmapMem(mapped.first));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtUnmapMem(mapped.second));
}

PROGRAM(mapped_freed_in_flight)
