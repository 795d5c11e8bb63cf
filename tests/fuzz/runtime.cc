// Sequences of runtime calls from a byte string, against a model of the rules.

#include <cstdlib>

#include "tests/fuzz/finding.h"
#include "tests/fuzz/runtime_calls.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int initialised = [] {
    setenv("ACLIMB_HOST_ACCESS", "1", 0);
    setenv("ACLIMB_DEVICES", "2", 0);
    setenv("ACLIMB_MEMORY", "64M", 0);
    return aclInit(nullptr);
  }();
  if (initialised != 0) aclimb::fuzz::Finding("aclInit gives %d", initialised);
  aclimb::fuzz::Draw draw(data, size);
  aclimb::fuzz::RuntimeProgram(draw).Run();
  return 0;
}
