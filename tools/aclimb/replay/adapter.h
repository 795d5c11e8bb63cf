#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"
#include "tools/aclimb/replay/recording.h"

namespace aclimb::cli {

// An argument as the C function gets it.
struct CallValue {
  const void* pointer = nullptr;  // handles and texts
  int64_t integer = 0;
  double real = 0;
};

// What an output has to be.
struct OutputTruth {
  int parameter = 0;
  std::vector<double> values;   // in row-major order, not rounded to the dtype
  std::vector<double> allowed;  // how far each may be off
};

// What a replay needs to know of one operator: replay/<operator>.cc defines kAdapter in the
// operator's namespace.
struct Adapter {
  const contract::Contract* contract;
  aclnnStatus (*phase1)(void* function, const std::vector<CallValue>& values,
                        uint64_t* workspace_size, aclOpExecutor** executor);
  // Of the outputs that the operator writes, from the recorded inputs, in double.
  std::vector<OutputTruth> (*truth)(const Recording& recording);
};

namespace adapter_internal {

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

template <typename Function>
struct Caller;

// All parameters but the last two, which every first phase ends with.
template <typename... P>
struct Caller<aclnnStatus(P...)> {
  using Types = std::tuple<P...>;
  template <size_t... I>
  static aclnnStatus Call(void* function, const std::vector<CallValue>& values, uint64_t* size,
                          aclOpExecutor** executor, std::index_sequence<I...>) {
    return reinterpret_cast<aclnnStatus (*)(P...)>(function)(
        As<std::tuple_element_t<I, Types>>(values[I])..., size, executor);
  }
};

template <typename... P>
constexpr size_t CountOf(aclnnStatus (*)(P...)) {
  return sizeof...(P);
}

}  // namespace adapter_internal

// Calls the first phase at `function`, which has the given type:
//   CallPhase1<decltype(aclnnEluBackwardGetWorkspaceSize)>
template <typename Function>
aclnnStatus CallPhase1(void* function, const std::vector<CallValue>& values,
                       uint64_t* workspace_size, aclOpExecutor** executor) {
  constexpr size_t kCount = adapter_internal::CountOf(static_cast<Function*>(nullptr)) - 2;
  return adapter_internal::Caller<Function>::Call(function, values, workspace_size, executor,
                                                  std::make_index_sequence<kCount>());
}

// The adapter of the operator; every operator has one.
const Adapter& AdapterOf(const contract::Contract& contract);

}  // namespace aclimb::cli
