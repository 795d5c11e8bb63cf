#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "aclimb/contract/contract.h"
#include "aclimb/core/float_state.h"
#include "aclimb/executor/operator.h"
#include "aclimb/executor/plan.h"
#include "aclnn/acl_meta.h"

namespace aclimb {
namespace phase_internal {

inline contract::Argument Argument(const aclTensor* value) {
  return {.kind = contract::Kind::kTensor, .handle = value};
}
inline contract::Argument Argument(const aclScalar* value) {
  return {.kind = contract::Kind::kScalar, .handle = value};
}
inline contract::Argument Argument(const aclIntArray* value) {
  return {.kind = contract::Kind::kIntArray, .handle = value};
}
inline contract::Argument Argument(const aclFloatArray* value) {
  return {.kind = contract::Kind::kFloatArray, .handle = value};
}
inline contract::Argument Argument(const aclTensorList* value) {
  return {.kind = contract::Kind::kTensorList, .handle = value};
}
inline contract::Argument Argument(const aclScalarList* value) {
  return {.kind = contract::Kind::kScalarList, .handle = value};
}
inline contract::Argument Argument(const aclBoolArray* value) {
  return {.kind = contract::Kind::kBoolArray, .handle = value};
}
inline contract::Argument Argument(const char* value) {
  return {.kind = contract::Kind::kString, .handle = value};
}
inline contract::Argument Argument(bool value) {
  return {.kind = contract::Kind::kBool, .integer = value ? 1 : 0};
}
template <typename T>
requires((std::is_integral_v<T> && !std::is_same_v<T, bool>) ||
         std::is_enum_v<T>) contract::Argument Argument(T value) {
  return {.kind = contract::Kind::kInteger, .integer = static_cast<int64_t>(value)};
}
inline contract::Argument Argument(double value) {
  return {.kind = contract::Kind::kReal, .real = value};
}
// Not here, or the compiler could convert before the floating-point state is the default one.
contract::Argument Argument(float value) noexcept;

aclnnStatus Phase1(Operator& of, std::span<contract::Argument> arguments, uint64_t* workspace_size,
                   aclOpExecutor** executor) noexcept;

}  // namespace phase_internal

// Phase1() for functions with more tensors than a call has room for, of which most are null.
template <typename... T>
aclnnStatus Phase1OfMany(Operator& of, uint64_t* workspace_size, aclOpExecutor** executor,
                         T... arguments) noexcept {
  // Plans hold scalars that were converted and multiplied, messages numbers that were printed.
  const DefaultFloatState state;
  contract::Argument list[] = {phase_internal::Argument(arguments)...};
  return phase_internal::Phase1(of, list, workspace_size, executor);
}

// The body of every aclnnXxxGetWorkspaceSize: checks the arguments against the contract, plans, and
// makes an executor. Host-only: needs no device and never looks at data.
//   arguments  the operator's own, in the order of the contract
//   returns    0, or the violated rule's code with its text in aclGetRecentErrMsg; `executor` is
//              then untouched
template <typename... T>
aclnnStatus Phase1(Operator& of, uint64_t* workspace_size, aclOpExecutor** executor,
                   T... arguments) noexcept {
  static_assert((std::is_convertible_v<T, const aclTensor*> + ...) <= kMostTensors);
  return Phase1OfMany(of, workspace_size, executor, arguments...);
}

// The body of every aclnnXxx: checks executor, workspace, memory and stream, queues the run and
// returns. The executor is consumed by success and failure alike, unless it is repeatable.
//   returns  161001 null executor, null workspace though one is needed, null data of a used tensor
//            561103 executor consumed or destroyed
//            161002 workspace too small, data or workspace outside device memory
//            361001 the runtime refused; its code is in the text
aclnnStatus Phase2(const Operator& of, void* workspace, uint64_t workspace_size,
                   aclOpExecutor* executor, aclrtStream stream) noexcept;

}  // namespace aclimb
