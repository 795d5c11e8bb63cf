// aclOpExecutor: reuse, release, and new addresses for its tensors.

#include <algorithm>
#include <memory>
#include <string>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/executor.h"
#include "aclimb/executor/objects.h"
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

// Calls visit(parameter) for those of that side that are tensors or lists of them, until it says
// true, and returns that one; -1 when there is none. A tensor that is worked on in place is an
// input and an output; where both are counted it is an input.
template <typename Visit>
int FindOnSide(const contract::Contract& contract, Side side, const Visit& visit) {
  for (const bool outputs : {false, true}) {
    if (side == (outputs ? Side::kInputs : Side::kOutputs)) continue;
    for (size_t i = 0; i < contract.parameters.size(); ++i) {
      const contract::Parameter& parameter = contract.parameters[i];
      if (!contract::HasTensors(parameter.kind)) continue;
      const bool counts = !outputs                 ? contract::IsRead(parameter.role)
                          : side == Side::kOutputs ? contract::IsWritten(parameter.role)
                                                   : parameter.role == contract::Role::kOutput;
      if (counts && visit(static_cast<int>(i))) return static_cast<int>(i);
    }
  }
  return -1;
}
int FindParameter(const contract::Contract& contract, Side side, size_t index) {
  return FindOnSide(contract, side, [&](int) { return index-- == 0; });
}

// As many as there are uses when phase 1 got none like it.
template <typename Like>
size_t FindUse(const PlannedCall& call, const Like& like) {
  size_t i = 0;
  while (i < call.uses.size() && !like(call.uses[i])) ++i;
  return i;
}
// Of the index-th tensor of that side, with the members of lists one by one.
size_t FindTensor(const PlannedCall& call, Side side, size_t index) {
  const int parameter = FindOnSide(*call.contract, side, [&](int p) {
    const auto members = static_cast<size_t>(
        std::count_if(call.uses.begin(), call.uses.end(),
                      [p](const TensorUse& use) { return use.parameter == p; }));
    if (index < members) return true;
    index -= members;
    return false;
  });
  return FindUse(call,
                 [&](const TensorUse& use) { return use.parameter == parameter && index-- == 0; });
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
    const size_t use = FindTensor(call, side, index);
    const bool exists = use < call.uses.size();
    if (!exists || executor.tensors[use].handle == nullptr) {
      return Refuse(kAclnnInvalid,
                    Cat("index is ", index, ", and ", call.contract->function,
                        exists ? " was called without that " : " has no ", SideText(side),
                        "; expected the position of a tensor that phase 1 got."),
                    "count the tensors in the order of the operator's parameters, members of "
                    "lists one by one",
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

aclnnStatus SetListAddress(const char* function, aclOpExecutor* handle, Side side, size_t list,
                           size_t element, const aclTensorList* tensors, void* address) {
  return Guarded(function, [&]() -> Status {
    const HeldExecutor held(handle);
    if (held.get() == nullptr) return Missing(handle);
    if (tensors == nullptr) {
      return Refuse(kAclnnInnerNullptr, "tensors is null; expected the list passed to phase 1.",
                    "pass the same list as in phase 1", "executor/null-tensor");
    }
    Executor& executor = *held.get();
    const PlannedCall& call = *executor.call;
    const int parameter = FindParameter(*call.contract, side, list);
    if (parameter < 0 || call.contract->At(parameter).kind != contract::Kind::kTensorList) {
      return Refuse(kAclnnInvalid,
                    Cat("irIndex is ", list, ", and ", call.contract->function,
                        " has no tensor list there; expected the position of a list parameter."),
                    "use aclSetTensorAddr for single tensors", "executor/index");
    }
    const size_t use = FindUse(call, [&](const TensorUse& one) {
      return one.parameter == parameter && static_cast<size_t>(one.element) == element;
    });
    if (use == call.uses.size()) {
      return Refuse(kAclnnInvalid,
                    Cat("relativeIndex is ", element, ", and ", call.contract->At(parameter).name,
                        " was shorter in phase 1; expected the position of one of its tensors."),
                    "count the tensors of the list from 0", "executor/index");
    }
    // The list itself may have been destroyed.
    if (executor.tensors[use].list != tensors) {
      return Refuse(kAclnnInvalid,
                    Cat("tensors is not the list that phase 1 got as ",
                        call.contract->At(parameter).name, "; expected the same object."),
                    "pass the list of phase 1; only addresses change", "executor/other-tensor");
    }
    executor.tensors[use].data = address;
    return Ok();
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

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
  return aclimb::SetListAddress("aclSetDynamicInputTensorAddr", executor, Side::kInputs, irIndex,
                                relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
  return aclimb::SetListAddress("aclSetDynamicOutputTensorAddr", executor, Side::kOutputs, irIndex,
                                relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                    const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
  return aclimb::SetListAddress("aclSetDynamicTensorAddr", executor, Side::kBoth, irIndex,
                                relativeIndex, tensors, addr);
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
