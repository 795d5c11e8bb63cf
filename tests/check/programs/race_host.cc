// check/race/host
#include "program.h"

static void Mistake(Session& session) {
  float host[64] = {};
  void* input = Zeroed(256);
  void* output = Zeroed(256);
  {
    Elu elu(input, input, output, 64);
    MUST(aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream));
    if (!WRONG) MUST(aclrtSynchronizeStream(session.stream));
    MUST(aclrtMemcpy(input, 256, host, 256, ACL_MEMCPY_HOST_TO_DEVICE));  // here
    MUST(aclrtSynchronizeStream(session.stream));
  }
  MUST(aclrtFree(input));
  MUST(aclrtFree(output));
}

PROGRAM(race_host)
