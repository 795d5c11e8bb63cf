#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/contract/contract.h"
#include "aclimb/core/descriptor.h"
#include "aclimb/core/recycler.h"
#include "aclimb/executor/plan.h"

namespace aclimb {

// One tensor argument as phase 1 saw it. The descriptor itself is copied out: phase 2 and the
// address setters never follow an aclTensor that may be gone.
struct TensorUse {
  int parameter = 0;
  const void* handle = nullptr;  // what the program passed; null when not given
  void* data = nullptr;          // storage address; the setters change it
  TensorView view;               // its data pointer is set per run
  TensorDescriptor::ByteRange footprint;
  bool is_output = false;
  bool touched = false;  // read or written by the plan, and not empty
};

// What an aclOpExecutor* stands for. Touched only under HandleLock while the program has the
// handle.
struct Executor : Recycled {
  const contract::Contract* contract = nullptr;
  std::shared_ptr<const Plan> plan;                            // null: nothing to do
  std::vector<TensorUse, RecyclingAllocator<TensorUse>> uses;  // one per tensor parameter, in order
  uint64_t workspace_size = 0;
  uint64_t cost_bytes = 0;  // traffic of the touched tensors
  bool repeatable = false;
  bool deterministic = false;  // the switch as phase 1 found it
  // For the tools; empty unless one listens.
  std::string arguments;  // as DescribeArguments has them
  double flops = 0;       // of the plan
};

// Two threads may race for one executor, and one of them may release it.
class HandleLock {
 public:
  explicit HandleLock(const void* handle) : handle_(handle) { aclimb_handle_lock(handle_); }
  ~HandleLock() { aclimb_handle_unlock(handle_); }
  HandleLock(const HandleLock&) = delete;
  HandleLock& operator=(const HandleLock&) = delete;

 private:
  const void* handle_;
};

}  // namespace aclimb
