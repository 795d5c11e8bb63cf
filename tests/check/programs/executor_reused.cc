// check/object/executor-reused
#include "program.h"

static void Mistake(Session& session) {
  void* input = Zeroed(256);
  void* output = Allocate(256);
  {
    Elu elu(input, input, output, 64);
    if (!WRONG) MUST(aclSetAclOpExecutorRepeatable(elu.executor));
    MUST(aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream));
    (void)aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream);  // here
    MUST(aclrtSynchronizeStream(session.stream));
    if (!WRONG) MUST(aclDestroyAclOpExecutor(elu.executor));
  }
  MUST(aclrtFree(input));
  MUST(aclrtFree(output));
}

PROGRAM(executor_reused)
