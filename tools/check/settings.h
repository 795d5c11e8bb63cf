#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/problems.h"

namespace aclimb::check {

// What the environment asks of the checker.
struct Settings {
  bool all = false;         // notes, and leaks of programs that do not finalise
  bool not_finite = false;  // look for the first NaN or infinity
  int exit_status = 86;     // of a program with findings; 0 keeps its own
  std::vector<std::string> muted;
};

// Nothing when ACLIMB_CHECK does not ask for the checker, or wrongly. What is wrong with the
// checker's variables is added to `problems` (may be null), also when it is off.
std::optional<Settings> ReadSettings(std::vector<tools::Problem>* problems);

}  // namespace aclimb::check
