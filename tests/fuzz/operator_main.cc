// How libFuzzer enters the target of the operator that FUZZ_OPERATOR names.

#include <cstdlib>
#include <cstring>

#include "aclimb/truth/all_operators.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/operator_call.h"

namespace aclimb::fuzz {
namespace {

const truth::OperatorEntry& Target() {
  static const truth::OperatorEntry& target = []() -> const truth::OperatorEntry& {
    const char* const name = std::getenv("FUZZ_OPERATOR");
    for (const truth::OperatorEntry* entry : AllOperators()) {
      if (name != nullptr && std::strcmp(name, entry->contract->folder) == 0) return *entry;
    }
    Finding("FUZZ_OPERATOR is \"%s\"; expected the name of an operator", name ? name : "");
  }();
  return target;
}

}  // namespace
}  // namespace aclimb::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  aclimb::fuzz::SetUp();
  aclimb::fuzz::Draw draw(data, size);
  aclimb::fuzz::RunTarget(aclimb::fuzz::Target(), draw);
  return 0;
}
