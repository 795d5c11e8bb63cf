// check/memory/past-end
#include "program.h"

static void Mistake(Session& session) {
  void* input = Zeroed(256);
  void* output = Allocate(WRONG ? 64 : 256);
  {
    Elu elu(input, input, output, 64);
    (void)aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream);  // here
    MUST(aclrtSynchronizeStream(session.stream));
  }
  MUST(aclrtFree(input));
  MUST(aclrtFree(output));
}

PROGRAM(past_end_view)
