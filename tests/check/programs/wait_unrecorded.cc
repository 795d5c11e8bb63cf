// check/event/wait-unrecorded
#include "program.h"

static void Mistake(Session& session) {
  aclrtEvent event = nullptr;
  MUST(aclrtCreateEvent(&event));
  if (!WRONG) MUST(aclrtRecordEvent(event, session.stream));
  MUST(aclrtStreamWaitEvent(session.stream, event));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtDestroyEvent(event));
}

PROGRAM(wait_unrecorded)
