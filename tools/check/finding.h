#pragma once

#include <string>
#include <vector>

#include "tools/check/sites.h"

namespace aclimb::check {

// A call that a finding is about, or where an object of it comes from.
struct Involved {
  std::string what;  // "queued by aclnnEluBackward on stream 1"
  SiteId site = 0;
};

// A mistake of the program.
struct Finding {
  const char* rule = "";  // an id of rule.h
  std::string function;   // the call that shows it; may be empty
  std::string what;       // what was found; expected ...
  // That call first. Findings with the same rule and the same first place are one.
  std::vector<Involved> involved;
};

}  // namespace aclimb::check
