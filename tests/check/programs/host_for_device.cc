// check/memory/host-for-device
#include "program.h"

static void Mistake(Session& session) {
  std::vector<float> host(64);
  void* device = Zeroed(256);
  void* output = Allocate(256);
  {
    Elu elu(WRONG ? host.data() : device, device, output, 64);
    (void)aclnnEluBackward(elu.workspace, elu.size, elu.executor, session.stream);  // here
    MUST(aclrtSynchronizeStream(session.stream));
  }
  MUST(aclrtFree(device));
  MUST(aclrtFree(output));
}

PROGRAM(host_for_device)
