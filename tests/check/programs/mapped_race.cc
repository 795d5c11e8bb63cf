// check/race/streams
#include "mapped.h"

// Both mappings are written without order, which is one mistake.
static void Mistake(Session& session) {
  const Mapped mapped;
  const size_t bytes = 2 * mapped.piece;
  aclrtStream other = nullptr;
  aclrtEvent event = nullptr;
  MUST(aclrtCreateStream(&other));
  MUST(aclrtCreateEvent(&event));
  MUST(aclrtMemsetAsync(mapped.first, bytes, 0, bytes, session.stream));
  MUST(aclrtRecordEvent(event, session.stream));
  if (!WRONG) MUST(aclrtStreamWaitEvent(other, event));
  MUST(aclrtMemsetAsync(mapped.first, bytes, 1, bytes, other));  // here
  MUST(aclrtSynchronizeDevice());
  MUST(aclrtDestroyEvent(event));
  MUST(aclrtDestroyStream(other));
  MUST(aclrtUnmapMem(mapped.first));
  MUST(aclrtUnmapMem(mapped.second));
}

PROGRAM(mapped_race)
