#pragma once

#include <cstddef>
#include <type_traits>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/well_formed.h"
#include "aclnn/acl_meta.h"

namespace aclimb::contract {
namespace signature_internal {

template <typename T>
constexpr Kind KindOf() {
  using Bare = std::remove_cv_t<std::remove_pointer_t<T>>;
  if constexpr (std::is_pointer_v<T>) {
    if constexpr (std::is_same_v<Bare, aclTensor>) return Kind::kTensor;
    if constexpr (std::is_same_v<Bare, aclScalar>) return Kind::kScalar;
    if constexpr (std::is_same_v<Bare, aclIntArray>) return Kind::kIntArray;
    if constexpr (std::is_same_v<Bare, aclFloatArray>) return Kind::kFloatArray;
    if constexpr (std::is_same_v<Bare, aclBoolArray>) return Kind::kBoolArray;
    if constexpr (std::is_same_v<Bare, aclTensorList>) return Kind::kTensorList;
    if constexpr (std::is_same_v<Bare, aclScalarList>) return Kind::kScalarList;
    if constexpr (std::is_same_v<Bare, char>) return Kind::kString;
  } else if constexpr (std::is_same_v<T, bool>) {
    return Kind::kBool;
  } else if constexpr (std::is_floating_point_v<T>) {
    return Kind::kReal;
  } else {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    return Kind::kInteger;
  }
}

template <typename F>
struct PhaseOne;

// The last two parameters, workspaceSize and executor, belong to the protocol.
template <typename... P>
struct PhaseOne<aclnnStatus(P...)> {
  static constexpr size_t kCount = sizeof...(P) - 2;
  static constexpr bool Matches(std::span<const Parameter> parameters) {
    if (parameters.size() != kCount) return false;
    constexpr bool is_protocol[] = {std::is_same_v<P, uint64_t*> ||
                                    std::is_same_v<P, aclOpExecutor**>...};
    constexpr Kind kinds[] = {(is_protocol_v<P> ? Kind::kInteger : KindOf<Plain<P>>())...};
    if (!is_protocol[kCount] || !is_protocol[kCount + 1]) return false;
    for (size_t i = 0; i < kCount; ++i) {
      if (parameters[i].kind != kinds[i]) return false;
    }
    return true;
  }

 private:
  template <typename T>
  static constexpr bool is_protocol_v =
      std::is_same_v<T, uint64_t*> || std::is_same_v<T, aclOpExecutor**>;
  template <typename T>
  using Plain = std::conditional_t<is_protocol_v<T>, int, T>;
};

}  // namespace signature_internal

// True when the contract has one parameter per C parameter, of the kind its type says, and fits
// together itself (well_formed.h). Used in a static_assert beside each contract, so that a header
// and its contract cannot drift apart:
//   static_assert(Matches<decltype(aclnnEluBackwardGetWorkspaceSize)>(kContract));
template <typename Function>
constexpr bool Matches(const Contract& contract) {
  return IsWellFormed(contract) &&
         signature_internal::PhaseOne<Function>::Matches(contract.parameters);
}

}  // namespace aclimb::contract
