// check/memory/use-after-free
#include "program.h"

static void Mistake(Session& session) {
  void* input = Zeroed(256);
  void* output = Allocate(256);
  {
    Elu elu(input, input, output, 64);
    if (WRONG) MUST(aclrtFree(input));
    (void)aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream);  // here
    MUST(aclrtSynchronizeStream(session.stream));
  }
  if (!WRONG) MUST(aclrtFree(input));
  MUST(aclrtFree(output));
}

PROGRAM(use_after_free_tensor)
