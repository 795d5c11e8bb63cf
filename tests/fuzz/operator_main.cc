// How libFuzzer enters the target of an operator.

#include "tests/fuzz/operator_call.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  aclimb::fuzz::SetUp();
  aclimb::fuzz::Draw draw(data, size);
  aclimb::fuzz::RunTarget(draw);
  return 0;
}
