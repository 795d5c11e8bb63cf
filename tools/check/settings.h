#pragma once

#include <optional>
#include <string>
#include <vector>

namespace aclimb::check {

// What the environment asks of the checker.
struct Settings {
  bool all = false;         // notes, and leaks of programs that do not finalise
  bool not_finite = false;  // look for the first NaN or infinity
  int exit_status = 86;     // of a program with findings; 0 keeps its own
  std::vector<std::string> muted;
};

// Nothing when ACLIMB_CHECK does not ask for the checker; what is wrong with it goes to stderr.
std::optional<Settings> ReadSettings();

}  // namespace aclimb::check
