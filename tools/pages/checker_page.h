#pragma once

#include <string>

namespace aclimb {

// docs/checker.md: how to use the checker, and all of its rules.
std::string CheckerPage();

}  // namespace aclimb
