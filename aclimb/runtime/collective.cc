// What libhccl.so, which has no collectives yet, says.

#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"

extern "C" void aclimb_refuse_collective(const char* function) {
  aclimb::Enter(function, [] {
    return aclimb::NotSupported(
        "Aclimb has no collectives yet; the result is HCCL_E_NOT_SUPPORT (5). Expected a program "
        "on one device.",
        "run one process on one device; under PyTorch a process group of the backend gloo works on "
        "tensors of the host",
        "runtime/collective/unsupported");
  });
}
