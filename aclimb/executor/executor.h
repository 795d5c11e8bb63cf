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

// One per tensor parameter, in order.
using TensorUses = std::vector<TensorUse, RecyclingAllocator<TensorUse>>;

// What an aclOpExecutor* stands for. Touched only under HandleLock while the program has the
// handle.
struct Executor : Recycled {
  const contract::Contract* contract = nullptr;
  PlanPointer plan;  // null: nothing to do
  TensorUses uses;
  uint64_t workspace_size = 0;
  uint64_t cost_bytes = 0;  // traffic of the touched tensors
  bool needs_no_team = false;
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
