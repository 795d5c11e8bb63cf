// check/stream/other-context
#include "program.h"

static void Mistake(Session& session) {
  aclrtContext own = nullptr;
  aclrtContext other = nullptr;
  MUST(aclrtGetCurrentContext(&own));
  void* memory = Zeroed(256);
  void* output = Zeroed(256);
  {
    Elu elu(memory, memory, output, 64);
    MUST(aclrtCreateContext(&other, 0));
    if (!WRONG) MUST(aclrtSetCurrentContext(own));
    (void)aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream);  // here
    MUST(aclrtDestroyContext(other));
    MUST(aclrtSetCurrentContext(own));
    MUST(aclrtSynchronizeStream(session.stream));
  }
  MUST(aclrtFree(memory));
  MUST(aclrtFree(output));
}

PROGRAM(other_context)
