// check/object/use-after-destroy
#include "program.h"

static void Mistake(Session&) {
  aclrtStream stream = nullptr;
  MUST(aclrtCreateStream(&stream));
  void* memory = Allocate(256);
  if (WRONG) MUST(aclrtDestroyStream(stream));
  (void)aclrtMemsetAsync(memory, 256, 0, 256, stream);  // here
  if (!WRONG) MUST(aclrtSynchronizeStream(stream));
  if (!WRONG) MUST(aclrtDestroyStream(stream));
  MUST(aclrtFree(memory));
}

PROGRAM(destroyed_stream)
