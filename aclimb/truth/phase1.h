#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"

namespace aclimb::truth {

// An argument as the C function gets it.
struct CallValue {
  const void* pointer = nullptr;  // handles and texts
  int64_t integer = 0;
  double real = 0;
};

namespace phase1_internal {

template <typename T>
T As(const CallValue& value) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<T>(const_cast<void*>(value.pointer));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.real);
  } else {
    return static_cast<T>(value.integer);
  }
}

// Of a parameter; handles and texts are pointers, and an enumeration is the integer that it is.
template <typename T>
constexpr std::string_view NameOfType() {
  if constexpr (std::is_pointer_v<T>) {
    return "pointer";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? "float" : "double";
  } else {
    constexpr bool kSigned = std::is_enum_v<T> || std::is_signed_v<T>;
    constexpr std::string_view kNames[2][4] = {{"uint8_t", "uint16_t", "uint32_t", "uint64_t"},
                                               {"int8_t", "int16_t", "int32_t", "int64_t"}};
    return kNames[kSigned][sizeof(T) == 8 ? 3 : sizeof(T) / 2];
  }
}

template <typename Function>
struct Caller;

// All parameters but the last two, which every first phase ends with.
template <typename... P>
struct Caller<aclnnStatus(P...)> {
  using Types = std::tuple<P...>;
  static constexpr size_t kCount = sizeof...(P) - 2;
  static constexpr std::array<std::string_view, sizeof...(P)> kNames = {NameOfType<P>()...};
  template <size_t... I>
  static aclnnStatus Call(void* function, const std::vector<CallValue>& values, uint64_t* size,
                          aclOpExecutor** executor, std::index_sequence<I...>) {
    return reinterpret_cast<aclnnStatus (*)(P...)>(function)(
        As<std::tuple_element_t<I, Types>>(values[I])..., size, executor);
  }
};

}  // namespace phase1_internal

// Calls the first phase at `function`, which has the given type:
//   CallPhase1<decltype(aclnnEluBackwardGetWorkspaceSize)>
template <typename Function>
aclnnStatus CallPhase1(void* function, const std::vector<CallValue>& values,
                       uint64_t* workspace_size, aclOpExecutor** executor) {
  using Caller = phase1_internal::Caller<Function>;
  return Caller::Call(function, values, workspace_size, executor,
                      std::make_index_sequence<Caller::kCount>());
}

}  // namespace aclimb::truth
