// check/memory/freed-in-flight
#include "program.h"

static void Mistake(Session& session) {
  void* input = Zeroed(256);
  void* output = Allocate(256);
  {
    Elu elu(input, input, output, 64);
    MUST(aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream));
    if (!WRONG) MUST(aclrtSynchronizeStream(session.stream));
    MUST(aclrtFree(output));  // here
    MUST(aclrtSynchronizeStream(session.stream));
  }
  MUST(aclrtFree(input));
}

PROGRAM(freed_in_flight)
