// check/object/executor-destroyed
#include "program.h"

static void Mistake(Session& session) {
  void* input = Zeroed(256);
  void* output = Allocate(256);
  {
    Elu elu(input, input, output, 64);
    MUST(aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream));
    MUST(aclrtSynchronizeStream(session.stream));
    if (WRONG) MUST(aclDestroyAclOpExecutor(elu.executor));  // here
  }
  MUST(aclrtFree(input));
  MUST(aclrtFree(output));
}

PROGRAM(executor_destroyed)
