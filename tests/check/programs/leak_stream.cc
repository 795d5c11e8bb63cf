// check/leak/stream
#include "program.h"

static void Mistake(Session&) {
  aclrtStream stream = nullptr;
  MUST(aclrtCreateStream(&stream));  // here
  if (!WRONG) MUST(aclrtDestroyStream(stream));
}

PROGRAM(leak_stream)
