// aclOpExecutor: reuse, release, and new addresses for its tensors.

#include <memory>
#include <string>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/executor.h"
#include "aclimb/executor/report.h"
#include "aclnn/acl_meta.h"

namespace aclimb {
namespace {

Status NullExecutor() {
  return Refuse(kAclnnInnerNullptr, "executor is null; expected the one that phase 1 made.",
                "check that phase 1 returned 0", "executor/null");
}

Status NotLive(const aclOpExecutor* executor) {
  return Refuse(kAclnnInnerNullptr,
                Cat("executor is ", AddressText(executor), ", which is not a live aclOpExecutor (",
                    aclimb_handle_state_text(executor), "); expected one that phase 1 made."),
                "pass an executor of phase 1; to use one again after phase 2, call "
                "aclSetAclOpExecutorRepeatable right after phase 1",
                "executor/consumed");
}

Result<Executor*> Find(const aclOpExecutor* executor) {
  if (executor == nullptr) return NullExecutor();
  auto* found = static_cast<Executor*>(aclimb_handle_resolve(executor, ACLIMB_HANDLE_EXECUTOR));
  if (found != nullptr) return found;
  return NotLive(executor);
}

enum class Side { kInputs, kOutputs, kBoth };

// The index-th tensor parameter of that side; arguments that were not given keep their position.
TensorUse* FindUse(Executor& executor, Side side, size_t index) {
  for (const bool outputs : {false, true}) {
    if (side == (outputs ? Side::kInputs : Side::kOutputs)) continue;
    for (TensorUse& use : executor.uses) {
      if (use.is_output != outputs) continue;
      if (index-- == 0) return &use;
    }
  }
  return nullptr;
}

const char* SideText(Side side) {
  switch (side) {
    case Side::kInputs:
      return "input tensor";
    case Side::kOutputs:
      return "output tensor";
    default:
      return "tensor (inputs, then outputs)";
  }
}

aclnnStatus SetAddress(const char* function, aclOpExecutor* handle, Side side, size_t index,
                       const aclTensor* tensor, void* address) {
  return Guarded(function, [&]() -> Status {
    const HandleLock lock(handle);
    Result<Executor*> found = Find(handle);
    if (!found.ok()) return found.TakeStatus();
    if (tensor == nullptr) {
      return Refuse(kAclnnInnerNullptr, "tensor is null; expected the one passed to phase 1.",
                    "pass the same tensor as in phase 1", "executor/null-tensor");
    }
    Executor& executor = *found.value();
    TensorUse* use = FindUse(executor, side, index);
    if (use == nullptr || use->handle == nullptr) {
      return Refuse(kAclnnInvalid,
                    Cat("index is ", index, ", and ", executor.contract->function,
                        use == nullptr ? " has no " : " was called without that ", SideText(side),
                        "; expected the position of a tensor that phase 1 got."),
                    "count the tensors in the order of the operator's parameters",
                    "executor/index");
    }
    if (use->handle != tensor) {
      return Refuse(kAclnnInvalid,
                    Cat("tensor is not the one that phase 1 got as ",
                        executor.contract->parameters[static_cast<size_t>(use->parameter)].name,
                        " (index ", index, "); expected the same object."),
                    "pass the tensor of phase 1; only its address changes",
                    "executor/other-tensor");
    }
    use->data = address;
    return Ok();
  });
}

// No operator here takes tensor lists, so no list index is ever in range.
aclnnStatus SetListAddress(const char* function, aclOpExecutor* handle, size_t list,
                           const aclTensorList* tensors) {
  return Guarded(function, [&]() -> Status {
    const HandleLock lock(handle);
    Result<Executor*> found = Find(handle);
    if (!found.ok()) return found.TakeStatus();
    if (tensors == nullptr) {
      return Refuse(kAclnnInnerNullptr, "tensors is null; expected the list passed to phase 1.",
                    "pass the same list as in phase 1", "executor/null-tensor");
    }
    return Refuse(kAclnnInvalid,
                  Cat("irIndex is ", list, ", but ", found.value()->contract->function,
                      " has no tensor list; expected the position of a list parameter."),
                  "use aclSetTensorAddr for single tensors", "executor/index");
  });
}

}  // namespace
}  // namespace aclimb

using aclimb::Side;

extern "C" {

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return aclimb::Guarded("aclSetAclOpExecutorRepeatable", [&]() -> aclimb::Status {
    const aclimb::HandleLock lock(executor);
    aclimb::Result<aclimb::Executor*> found = aclimb::Find(executor);
    if (!found.ok()) return found.TakeStatus();
    found.value()->repeatable = true;
    return aclimb::Ok();
  });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return aclimb::Guarded("aclDestroyAclOpExecutor", [&]() -> aclimb::Status {
    if (executor == nullptr) return aclimb::NullExecutor();
    const aclimb::HandleLock lock(executor);
    const std::unique_ptr<aclimb::Executor> owned(
        static_cast<aclimb::Executor*>(aclimb_handle_release(executor, ACLIMB_HANDLE_EXECUTOR)));
    if (owned != nullptr) return aclimb::Ok();
    // One that already ran was released by phase 2; destroying it again is harmless.
    const int state = aclimb_handle_state(executor);
    const bool was_one = state == -ACLIMB_HANDLE_EXECUTOR || state == ACLIMB_HANDLE_FORGOTTEN;
    return was_one ? aclimb::Ok() : aclimb::NotLive(executor);
  });
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
  return aclimb::SetAddress("aclSetInputTensorAddr", executor, Side::kInputs, index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
  return aclimb::SetAddress("aclSetOutputTensorAddr", executor, Side::kOutputs, index, tensor,
                            addr);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                             void* addr) {
  return aclimb::SetAddress("aclSetTensorAddr", executor, Side::kBoth, index, tensor, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t,
                                         aclTensorList* tensors, void*) {
  return aclimb::SetListAddress("aclSetDynamicInputTensorAddr", executor, irIndex, tensors);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t,
                                          aclTensorList* tensors, void*) {
  return aclimb::SetListAddress("aclSetDynamicOutputTensorAddr", executor, irIndex, tensors);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t,
                                    aclTensorList* tensors, void*) {
  return aclimb::SetListAddress("aclSetDynamicTensorAddr", executor, irIndex, tensors);
}

// The reserved aliases with a capital A.

aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
  return aclSetInputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
  return aclSetOutputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                             void* addr) {
  return aclSetTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
  return aclSetDynamicInputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
  return aclSetDynamicOutputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                    const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
  return aclSetDynamicTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

}  // extern "C"
