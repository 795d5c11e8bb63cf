#include <atomic>
#include <cstdio>

#include "acl/acl_prof.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"

namespace {

int RefuseProfiler(const char* function) {
  return aclimb::Enter(function, [] {
    return aclimb::Refuse(aclimb::kApiNotSupport,
                          "the vendor's profiler is not there; expected a run without it.",
                          "write a timeline of calls and operators with `aclimb run --trace FILE`",
                          "runtime/profiler/unsupported");
  });
}

// Frameworks drop what aclprofInit answers, and their users look for the device's part in vain.
void TellOnce() {
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  std::fputs(
      "aclimb: aclprofInit: the vendor's profiler is not there; expected a profile of the host "
      "alone.\n  fix: leave the device out of the activities; `aclimb run --trace FILE` writes a "
      "timeline of calls and operators\n",
      stderr);
}

}  // namespace

extern "C" {

aclError aclprofInit(const char*, size_t) {
  TellOnce();
  return RefuseProfiler("aclprofInit");
}
aclError aclprofFinalize() { return RefuseProfiler("aclprofFinalize"); }
aclprofConfig* aclprofCreateConfig(uint32_t*, uint32_t, aclprofAicoreMetrics,
                                   const aclprofAicoreEvents*, uint64_t) {
  RefuseProfiler("aclprofCreateConfig");
  return nullptr;
}
aclError aclprofDestroyConfig(const aclprofConfig*) {
  return RefuseProfiler("aclprofDestroyConfig");
}
aclError aclprofStart(const aclprofConfig*) { return RefuseProfiler("aclprofStart"); }
aclError aclprofStop(const aclprofConfig*) { return RefuseProfiler("aclprofStop"); }

}  // extern "C"
