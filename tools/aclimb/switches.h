#pragma once

#include <optional>
#include <span>
#include <string>

namespace aclimb::cli {

// A switch of `aclimb run`: another spelling of one environment variable.
struct Switch {
  const char* name;      // "--soc"
  const char* variable;  // a row of kEnvironment
  // What stands for the value in the help. "N" takes numbers alone; in brackets it may be left out,
  // null takes none: then the variable becomes 1.
  const char* value;
  const char* help;
  // What is wrong with the value, once the variable is set to it; nothing when all is well.
  std::optional<std::string> (*problem)(const Switch&);
  const char* choices = "";  // offered by the shells, separated by spaces
};

// All of them, in the order of the help.
std::span<const Switch> Switches();

}  // namespace aclimb::cli
