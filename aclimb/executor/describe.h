#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/contract/contract.h"
#include "aclimb/executor/executor.h"

namespace aclimb {

// The arguments of one phase-1 call as a JSON object, for traces and records:
//   {"gradOutput": {"tensor": {"dtype": "FLOAT", "shape": [2, 3], "strides": [3, 1], "offset": 0,
//                              "storage": [6], "format": "ND"}},
//    "alpha": {"scalar": 1, "dtype": "FLOAT"}, "isResult": false, "biasSizes": null}
// Arrays and lists are lists of such values.
// Numbers are written so that they read back as the same value: integers as such, complex ones as
// [real, imaginary], NaN and infinities as texts. What is no live object is
// {"invalid": "it is a destroyed tensor"}.
std::string DescribeArguments(const contract::Contract& contract,
                              const contract::Arguments& arguments);

// What one run tells the tools that listen: the arguments, and which memory it touches how.
//   executor   its call and its arguments live as long as the description
//   workspace  null when the run uses none
class Description {
 public:
  Description(const Executor& executor, const void* workspace);
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  // How to look at the data of the run; `run` lives as long as the description.
  void InspectBy(void (*inspect)(const void* run, AclimbFound found, void* into), const void* run) {
    operation_.inspect = inspect;
    operation_.run = run;
  }

  const AclimbOperation* operation() const { return &operation_; }

 private:
  std::shared_ptr<const std::string> arguments_;
  std::vector<AclimbAccess> accesses_;
  int64_t workspace_shape_[1];
  std::vector<int64_t> packed_shapes_;  // bytes of tensors of packed elements
  AclimbOperation operation_ = {};
};

}  // namespace aclimb
