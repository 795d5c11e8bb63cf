#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aclimb::aclop {

// The functions of aclnnop/ that do what an operator of the older interface does, by its type name:
// those that a framework looks for before it falls back on the type name. One at least; "aclnn" and
// the type itself where nothing else is known.
std::vector<std::string> FunctionsOf(std::string_view type);

// Whether Aclimb has the function: 1 or 0; -1 when the program has not loaded the operators.
int HasFunction(const std::string& function);

}  // namespace aclimb::aclop
