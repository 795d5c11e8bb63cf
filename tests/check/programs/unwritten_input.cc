// check/memory/unwritten-read
#include "program.h"

static void Mistake(Session& session) {
  void* input = WRONG ? Allocate(256) : Zeroed(256);
  void* output = Allocate(256);
  {
    Elu elu(input, input, output, 64);
    MUST(aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream));  // here
    MUST(aclrtSynchronizeStream(session.stream));
  }
  MUST(aclrtFree(input));
  MUST(aclrtFree(output));
}

PROGRAM(unwritten_input)
