#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "aclimb/contract/parameter.h"
#include "aclimb/contract/rule.h"

// The contract of an operator: one constexpr table of its parameters and of the rules that relate
// them. Phase 1 checks it, the messages quote it, the negative tests walk it and the operator's
// page under docs/ops/ is printed from it.
namespace aclimb::contract {

struct Contract {
  const char* function = "";  // "aclnnEluBackward"
  const char* folder = "";    // "elu_backward", first part of every rule id
  const char* summary = "";   // one sentence
  uint8_t products = kAllProducts;
  int rank_code = kAclnnInvalid;   // of rank violations
  int shape_code = kAclnnInvalid;  // of shapes that do not follow their pattern
  std::span<const Parameter> parameters = {};
  std::span<const Rule> rules = {};

  // Names of extents in all patterns together, at most.
  static constexpr size_t kMostNames = 16;

  constexpr const Parameter& At(int index) const { return parameters[static_cast<size_t>(index)]; }
  // The position of the parameter, or -1.
  constexpr int IndexOf(std::string_view name) const {
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }

  // Whether the operator is right when this output is the very view of this tensor.
  //   single  the view has one element
  constexpr bool WorksInPlace(int output, int input, bool single) const {
    if (At(output).MayBe(input)) return true;
    if (!single || At(output).written_early) return false;
    for (int i = 0; i < static_cast<int>(parameters.size()); ++i) {
      if (IsWritten(At(i).role) && (i != output || IsRead(At(i).role))) return false;
    }
    return true;
  }
};

// "selfOrResult has the shape of gradOutput": what a rule of the contract demands.
std::string StatementOf(const Contract& contract, const Rule& rule);

}  // namespace aclimb::contract
