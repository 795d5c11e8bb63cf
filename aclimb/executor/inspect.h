#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/executor/plan.h"

namespace aclimb {

// Takes what an operator finds wrong in the data of a run.
class Inspector {
 public:
  Inspector(AclimbFound found, void* into) : found_(found), into_(into) {}

  // `rule` is an id of the checker.
  void Found(const char* rule, const std::string& text) const { found_(into_, rule, text.c_str()); }

 private:
  AclimbFound found_;
  void* into_;
};

// Which numbers are right.
struct NumberRange {
  int64_t begin = 0;
  int64_t end = 0;                  // not included
  std::optional<int64_t> excepted;  // right as well
  std::string because;              // "numWeights is 4"
};

// Tells the first number of `view` outside of the range, with its position and how many there are.
// Numbers with fractions count as cut off towards zero.
//   name  of the argument
void InspectRange(const Inspector& inspector, const char* rule, const char* name,
                  const TensorView& view, const NumberRange& range);

// Fails the run (507015), whose kernels have met what `plan` finds when it inspects the inputs: the
// failure says the same as the checker.
[[noreturn]] void FailInspected(const Plan& plan, const RunContext& run);

}  // namespace aclimb
