// check/memory/use-after-free
#include "program.h"

static void Mistake(Session& session) {
  void* memory = Zeroed(256);
  void* output = Allocate(256);
  aclmdlRI graph = nullptr;
  {
    Elu elu(memory, memory, output, 64);
    MUST(aclmdlRICaptureBegin(session.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    MUST(aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream));
    MUST(aclmdlRICaptureEnd(session.stream, &graph));
    if (WRONG) MUST(aclrtFree(memory));
    (void)aclmdlRIExecuteAsync(graph, session.stream);  // here
    MUST(aclrtSynchronizeStream(session.stream));
  }
  MUST(aclmdlRIDestroy(graph));
  if (!WRONG) MUST(aclrtFree(memory));
  MUST(aclrtFree(output));
}

PROGRAM(graph_freed)
