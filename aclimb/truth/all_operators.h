#pragma once

#include <span>
#include <string_view>

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

// How programs include and call an operator, as its header has it.
struct Declaration {
  std::string_view function;  // "aclnnAdds"
  std::string_view header;    // "aclnn_add.h"
  std::string_view phase1;    // "aclnnStatus aclnnAddsGetWorkspaceSize(const aclTensor* self, ...)"
};
const Declaration& DeclarationOf(const contract::Contract& contract);

// The operator whose contract this is; every contract belongs to one.
const truth::OperatorEntry& OperatorOf(const contract::Contract& contract);

}  // namespace aclimb
