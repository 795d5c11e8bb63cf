// check/stream/destroyed-busy
#include "program.h"

static void Mistake(Session&) {
  aclrtStream stream = nullptr;
  MUST(aclrtCreateStream(&stream));
  void* memory = Allocate(256);
  MUST(aclrtMemsetAsync(memory, 256, 0, 256, stream));
  if (!WRONG) MUST(aclrtSynchronizeStream(stream));
  MUST(aclrtDestroyStream(stream));  // here
  MUST(aclrtFree(memory));
}

PROGRAM(stream_destroyed_busy)
