#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aclimb/core/status.h"

namespace aclimb::tools {

// One order to fail, as ACLIMB_FAULT lists them:
//   aclrtMalloc:3=207001                 the third call
//   aclrtMalloc:3+=207001                the third and all later ones
//   aclrtMemcpy:p0.1/7=507899            each call with probability 0.1, drawn with seed 7
//   aclnnEluBackward@run:1=507015        what the first such call queued, when the stream gets to
//   it:
//                                        an operator's task, a copy or a fill, which then is not
//                                        done
// "*" stands for every function. Codes may be given by name (ACL_ERROR_RT_MEMORY_ALLOCATION).
struct FaultOrder {
  std::string function;
  bool at_run = false;
  uint64_t first = 0;  // 0: by probability
  bool and_later = false;
  double probability = 0;
  uint64_t seed = 1;
  int code = 0;
};

// The orders of a comma list; what is wrong with it otherwise.
Result<std::vector<FaultOrder>> ParseFaults(std::string_view text);

// Whether the nth call (from 1) has to fail. The same answer for the same order and number.
bool Fails(const FaultOrder& order, uint64_t nth);

}  // namespace aclimb::tools
