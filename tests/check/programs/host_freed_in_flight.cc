// check/memory/freed-in-flight
#include "program.h"

static void Mistake(Session& session) {
  void* host = nullptr;
  MUST(aclrtMallocHost(&host, 256));
  void* memory = Zeroed(256);
  MUST(aclrtMemcpyAsync(host, 256, memory, 256, ACL_MEMCPY_DEVICE_TO_HOST, session.stream));
  if (!WRONG) MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFreeHost(host));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(memory));
}

PROGRAM(host_freed_in_flight)
