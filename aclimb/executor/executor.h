#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/contract/contract.h"
#include "aclimb/core/recycler.h"
#include "aclimb/executor/plan.h"
#include "aclimb/executor/sized_plan.h"
#include "aclimb/simd/parallel.h"
#include "aclnn/acl_meta.h"

namespace aclimb {

class Description;

// Phase 1's answer, shared by all calls that differ in handles and addresses alone.
struct PlannedCall {
  const contract::Contract* contract = nullptr;
  PlanPointer plan;                  // null: nothing to do
  const SizedPlan* sized = nullptr;  // the plan, if the shapes of its outputs depend on the data
  bool on_device = false;            // the plan is a kernel of the backend, not of the host
  // One per tensor parameter, or per tensor of a list, in order.
  std::vector<TensorUse, RecyclingAllocator<TensorUse>> uses;
  std::vector<std::string> element_names;  // one per use when there are lists: "tensors[3]"
  uint64_t workspace_size = 0;
  uint64_t cost_bytes = 0;  // as AclimbTask has it
  bool any_thread = false;  // likewise
  Helpers helpers = Helpers::kTeam;
  bool deterministic = false;  // the switch as phase 1 found it

  const char* NameOf(const TensorUse& use) const {
    if (use.element < 0) return contract->At(use.parameter).name;
    return element_names[static_cast<size_t>(&use - uses.data())].c_str();
  }
};
using PlannedCallPointer = std::shared_ptr<const PlannedCall>;

// What an aclOpExecutor* stands for, and then the run that phase 2 makes of it: on its way through
// the stream it has everything it needs, and nothing of the program's objects. Touched only while
// held (HeldExecutor) as long as the program has the handle.
struct Executor : Recycled {
  PlannedCallPointer call;
  BoundTensors tensors;  // as many as the call has uses
  bool repeatable = false;
  char* workspace = nullptr;              // of the run, where kernels find it
  const void* given_workspace = nullptr;  // as the program knows it
  // For the tools; null unless one listens.
  std::shared_ptr<const std::string> arguments;    // as DescribeArguments has them
  std::shared_ptr<const Description> description;  // of the run

  RunContext Context() const { return RunContext(call->uses, tensors.data(), workspace); }
};

// The executor of a handle, held: two threads may race for one, and one of them may release it.
class HeldExecutor {
 public:
  explicit HeldExecutor(const aclOpExecutor* handle)
      : handle_(handle),
        executor_(static_cast<Executor*>(aclimb_handle_hold(handle, ACLIMB_HANDLE_EXECUTOR))) {}
  ~HeldExecutor() {
    if (executor_ != nullptr) aclimb_handle_give_back(handle_);
  }
  HeldExecutor(const HeldExecutor&) = delete;
  HeldExecutor& operator=(const HeldExecutor&) = delete;

  // Null when the handle is no live executor's.
  Executor* get() const { return executor_; }
  // Ends the handle.
  std::unique_ptr<Executor> Consume() {
    aclimb_handle_end(handle_);
    return std::unique_ptr<Executor>(std::exchange(executor_, nullptr));
  }

 private:
  const aclOpExecutor* handle_;
  Executor* executor_;
};

}  // namespace aclimb
