#include "acl/acl_rt.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"

namespace {

int RefuseDump(const char* function) {
  return aclimb::Enter(function, [] {
    return aclimb::Refuse(aclimb::kApiNotSupport,
                          "Aclimb writes no dumps of this kind; expected a run without them.",
                          "record the operators with `aclimb run --record DIR`, which keeps their "
                          "inputs and outputs",
                          "runtime/dump/unsupported");
  });
}

}  // namespace

extern "C" {

aclError aclmdlInitDump() { return RefuseDump("aclmdlInitDump"); }
aclError aclmdlSetDump(const char*) { return RefuseDump("aclmdlSetDump"); }
aclError aclmdlFinalizeDump() { return RefuseDump("aclmdlFinalizeDump"); }

}  // extern "C"
