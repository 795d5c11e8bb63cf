#pragma once

#include "aclimb/observe/observer.h"

namespace aclimb::check {

// Watches for misuse of memory, streams, objects and data (rule.h), as ACLIMB_CHECK asks; tells it
// on stderr, and ends a process that made mistakes with a status of its own. Null when the variable
// does not ask for it.
observe::Observer* MakeChecker();

}  // namespace aclimb::check
