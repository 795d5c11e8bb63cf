#pragma once

#include <span>

#include "aclimb/truth/operator_entry.h"

namespace aclimb {

// The operators of one folder of aclimb/ops.
struct Family {
  const char* folder;
  std::span<const truth::OperatorEntry> operators;
};
// All folders, in the order of the one list (aclimb/ops/CMakeLists.txt).
std::span<const Family> Families();

// The operators of all folders, in the order of the one list (aclimb/ops/CMakeLists.txt).
std::span<const truth::OperatorEntry* const> AllOperators();

// The operator whose contract this is; every contract belongs to one.
const truth::OperatorEntry& OperatorOf(const contract::Contract& contract);

}  // namespace aclimb
