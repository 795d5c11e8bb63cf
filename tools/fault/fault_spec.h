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
//   aclrtMemcpy:p0.1=507899              the same with the seed of ACLIMB_FAULT_SEED
//   aclnnEluBackward@run:1=507015        what the first such call queued, when the stream gets
//                                        there: an operator's task, a copy or a fill, which then is
//                                        not done
// "*" stands for every function. Codes may be given by name (ACL_ERROR_RT_MEMORY_ALLOCATION).
struct FaultOrder {
  std::string function;
  bool at_run = false;
  uint64_t first = 0;  // 0: by probability
  bool and_later = false;
  double probability = 0;
  uint64_t seed = 1;  // of ACLIMB_FAULT_SEED, unless the order names one
  int code = 0;
};

// ACLIMB_FAULT_SEED, or 1; what is wrong with it otherwise.
Result<uint64_t> ReadFaultSeed();
// The orders of ACLIMB_FAULT, none when it is not set; what is wrong with it otherwise.
Result<std::vector<FaultOrder>> ReadFaults();

// Whether the nth call (from 1) has to fail. The same answer for the same order and number.
bool Fails(const FaultOrder& order, uint64_t nth);

}  // namespace aclimb::tools
