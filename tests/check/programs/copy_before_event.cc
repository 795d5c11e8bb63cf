// check/race/copy-before-sync
// Who has the time of an event knows that the work before it is done.
#include "program.h"

static void Mistake(Session& session) {
  char host[64];
  void* memory = Allocate(sizeof(host));
  aclrtEvent event = nullptr;
  MUST(aclrtCreateEventWithFlag(&event, ACL_EVENT_TIME_LINE));
  MUST(aclrtMemsetAsync(memory, sizeof(host), 0, sizeof(host), session.stream));
  MUST(aclrtRecordEvent(event, session.stream));
  uint64_t microseconds = 0;
  aclError code = WRONG ? ACL_SUCCESS : ACL_ERROR_RT_EVENT_NOT_COMPLETE;
  while (code == ACL_ERROR_RT_EVENT_NOT_COMPLETE) {
    code = aclrtEventGetTimestamp(event, &microseconds);
  }
  MUST(code);
  MUST(aclrtMemcpy(host, sizeof(host), memory, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));  // here
  if (WRONG) MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(memory));
  MUST(aclrtDestroyEvent(event));
}

PROGRAM(copy_before_event)
