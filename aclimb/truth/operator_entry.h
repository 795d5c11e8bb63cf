#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/phase1.h"

namespace aclimb::truth {

// What an operator is to tools and tests. Each folder's operators.h lists its own:
//   inline constexpr truth::OperatorEntry kOperators[] = {
//       truth::Entry<decltype(aclnnXGetWorkspaceSize)>(kContract, &Truth)};
struct OperatorEntry {
  const contract::Contract* contract = nullptr;
  // Fills in the outputs that the operator writes, from the call's inputs, in double. Compiled
  // without contraction: a fused multiplication would move what a formula samples.
  void (*truth)(const Call& call, Outputs& outputs) = nullptr;
  // Calls the function of this name + "GetWorkspaceSize" at `function`; an entry names no function,
  // so that who has a list of operators is not linked with all of them.
  aclnnStatus (*phase1)(void* function, const std::vector<CallValue>& values,
                        uint64_t* workspace_size, aclOpExecutor** executor) = nullptr;
  // The C types of its parameters, "double" or "pointer".
  std::span<const std::string_view> c_types = {};
  // Draws a proper call, where the contract alone does not tell how.
  void (*draw)(Draw& draw, Call& call) = &DrawFromContract;
  // Whether the truth holds for infinities and NaN too: where terms of weight 0 meet them, it
  // depends on which of the terms are added.
  bool holds_beyond_finite = true;
  // Whether the truth has integers of 64 bits exactly, however large they are.
  bool exact_integers = false;
  // Whether the run finds the output's shape, and gives it to the program's tensor.
  bool sizes_output = false;
};

template <typename Phase1>
constexpr OperatorEntry Entry(const contract::Contract& contract,
                              void (*truth)(const Call& call, Outputs& outputs),
                              void (*draw)(Draw& draw, Call& call) = &DrawFromContract,
                              bool holds_beyond_finite = true) {
  return {.contract = &contract,
          .truth = truth,
          .phase1 = &CallPhase1<Phase1>,
          .c_types = phase1_internal::Caller<Phase1>::kNames,
          .draw = draw,
          .holds_beyond_finite = holds_beyond_finite};
}

constexpr OperatorEntry WithExactIntegers(OperatorEntry entry) {
  entry.exact_integers = true;
  return entry;
}
constexpr OperatorEntry SizesOutput(OperatorEntry entry) {
  entry.sizes_output = true;
  return entry;
}

}  // namespace aclimb::truth
