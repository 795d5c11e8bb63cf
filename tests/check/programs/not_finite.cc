// check/data/not-finite
#include "program.h"

static void Mistake(Session& session) {
  const uint16_t largest = 0x7BFF;  // 65504
  const uint16_t one = 0x3C00;
  void* grad = Uploaded(std::vector<uint16_t>(64, largest));
  void* input = Uploaded(std::vector<uint16_t>(64, one));
  void* output = Allocate(128);
  {
    Elu elu(grad, input, output, 64, ACL_FLOAT16, WRONG ? 4.0f : 1.0f);
    MUST(aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream));  // here
    MUST(aclrtSynchronizeStream(session.stream));
  }
  for (void* memory : {grad, input, output}) MUST(aclrtFree(memory));
}

PROGRAM(not_finite)
