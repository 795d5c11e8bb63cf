// check/race/streams
#include "program.h"

static void Mistake(Session& session) {
  aclrtStream other = nullptr;
  aclrtEvent event = nullptr;
  MUST(aclrtCreateStream(&other));
  MUST(aclrtCreateEvent(&event));
  void* memory = Allocate(256);
  MUST(aclrtMemsetAsync(memory, 256, 0, 256, session.stream));
  MUST(aclrtRecordEvent(event, session.stream));
  if (!WRONG) MUST(aclrtStreamWaitEvent(other, event));
  MUST(aclrtMemsetAsync(memory, 256, 1, 256, other));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtSynchronizeStream(other));
  MUST(aclrtDestroyEvent(event));
  MUST(aclrtDestroyStream(other));
  MUST(aclrtFree(memory));
}

PROGRAM(race_streams)
