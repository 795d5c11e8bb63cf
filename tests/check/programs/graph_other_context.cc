// check/stream/other-context
#include "program.h"

static void Mistake(Session& session) {
  void* memory = Allocate(256);
  aclmdlRI graph = nullptr;
  MUST(aclmdlRICaptureBegin(session.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  MUST(aclrtMemsetAsync(memory, 256, 0, 256, session.stream));
  MUST(aclmdlRICaptureEnd(session.stream, &graph));
  aclrtContext own = nullptr;
  MUST(aclrtGetCurrentContext(&own));
  aclrtContext other = nullptr;
  MUST(aclrtCreateContext(&other, 0));
  aclrtStream stream = nullptr;
  MUST(aclrtCreateStream(&stream));
  if (!WRONG) MUST(aclrtSetCurrentContext(own));
  (void)aclmdlRIExecuteAsync(graph, WRONG ? stream : session.stream);  // here
  MUST(aclrtSetCurrentContext(other));
  MUST(aclrtDestroyStream(stream));
  MUST(aclrtSetCurrentContext(own));
  MUST(aclrtDestroyContext(other));
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclmdlRIDestroy(graph));
  MUST(aclrtFree(memory));
}

PROGRAM(graph_other_context)
