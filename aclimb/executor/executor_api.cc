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
  return RefuseHandle(kAclnnInnerNullptr, "executor/consumed", "executor", executor,
                      "aclOpExecutor", "one that phase 1 made",
                      "pass an executor of phase 1; to use one again after phase 2, call "
                      "aclSetAclOpExecutorRepeatable right after phase 1");
}

// Why there is no executor.
Status Missing(const aclOpExecutor* executor) {
  return executor == nullptr ? NullExecutor() : NotLive(executor);
}

enum class Side { kInputs, kOutputs, kBoth };

// Number of the index-th tensor parameter of that side among all uses, which are so many when there
// is none; arguments that were not given keep their position. A tensor that is worked on in place
// is an input and an output; where both are counted it is an input.
size_t FindUse(const PlannedCall& call, Side side, size_t index) {
  for (const bool outputs : {false, true}) {
    if (side == (outputs ? Side::kInputs : Side::kOutputs)) continue;
    for (size_t i = 0; i < call.uses.size(); ++i) {
      const contract::Role role = call.uses[i].role;
      const bool counts = !outputs                 ? contract::IsRead(role)
                          : side == Side::kOutputs ? contract::IsWritten(role)
                                                   : role == contract::Role::kOutput;
      if (counts && index-- == 0) return i;
    }
  }
  return call.uses.size();
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
    const HeldExecutor held(handle);
    if (held.get() == nullptr) return Missing(handle);
    if (tensor == nullptr) {
      return Refuse(kAclnnInnerNullptr, "tensor is null; expected the one passed to phase 1.",
                    "pass the same tensor as in phase 1", "executor/null-tensor");
    }
    Executor& executor = *held.get();
    const PlannedCall& call = *executor.call;
    const size_t use = FindUse(call, side, index);
    const bool exists = use < call.uses.size();
    if (!exists || executor.tensors[use].handle == nullptr) {
      return Refuse(kAclnnInvalid,
                    Cat("index is ", index, ", and ", call.contract->function,
                        exists ? " was called without that " : " has no ", SideText(side),
                        "; expected the position of a tensor that phase 1 got."),
                    "count the tensors in the order of the operator's parameters",
                    "executor/index");
    }
    if (executor.tensors[use].handle != tensor) {
      return Refuse(kAclnnInvalid,
                    Cat("tensor is not the one that phase 1 got as ", call.NameOf(call.uses[use]),
                        " (index ", index, "); expected the same object."),
                    "pass the tensor of phase 1; only its address changes",
                    "executor/other-tensor");
    }
    executor.tensors[use].data = address;
    return Ok();
  });
}

// No operator here takes tensor lists, so no list index is ever in range.
aclnnStatus SetListAddress(const char* function, aclOpExecutor* handle, size_t list,
                           const aclTensorList* tensors) {
  return Guarded(function, [&]() -> Status {
    const HeldExecutor held(handle);
    if (held.get() == nullptr) return Missing(handle);
    if (tensors == nullptr) {
      return Refuse(kAclnnInnerNullptr, "tensors is null; expected the list passed to phase 1.",
                    "pass the same list as in phase 1", "executor/null-tensor");
    }
    return Refuse(kAclnnInvalid,
                  Cat("irIndex is ", list, ", but ", held.get()->call->contract->function,
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
    const aclimb::HeldExecutor held(executor);
    if (held.get() == nullptr) return aclimb::Missing(executor);
    held.get()->repeatable = true;
    return aclimb::Ok();
  });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return aclimb::Guarded("aclDestroyAclOpExecutor", [&]() -> aclimb::Status {
    if (executor == nullptr) return aclimb::NullExecutor();
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
