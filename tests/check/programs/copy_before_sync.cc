// check/race/copy-before-sync
#include "program.h"

static void Mistake(Session& session) {
  float host[64];
  void* input = Zeroed(256);
  void* output = Zeroed(256);
  {
    Elu elu(input, input, output, 64);
    MUST(aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream));
    if (!WRONG) MUST(aclrtSynchronizeStream(session.stream));
    MUST(aclrtMemcpy(host, 256, output, 256, ACL_MEMCPY_DEVICE_TO_HOST));  // here
    MUST(aclrtSynchronizeStream(session.stream));
  }
  MUST(aclrtFree(input));
  MUST(aclrtFree(output));
}

PROGRAM(copy_before_sync)
