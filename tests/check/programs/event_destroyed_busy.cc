// check/event/destroyed-busy
#include "program.h"

static void Mistake(Session& session) {
  aclrtEvent event = nullptr;
  MUST(aclrtCreateEvent(&event));
  void* memory = Allocate(256);
  MUST(aclrtMemsetAsync(memory, 256, 0, 256, session.stream));
  MUST(aclrtRecordEvent(event, session.stream));
  if (!WRONG) MUST(aclrtSynchronizeEvent(event));
  MUST(aclrtDestroyEvent(event));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(memory));
}

PROGRAM(event_destroyed_busy)
