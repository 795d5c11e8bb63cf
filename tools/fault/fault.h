#pragma once

#include "aclimb/observe/observer.h"

namespace aclimb::tools {

// Makes calls and tasks fail as ACLIMB_FAULT says (fault_spec.h), so that a program's handling of
// errors can be tested. Null when the variable is not set; what is wrong with it goes to stderr.
observe::Observer* MakeFault();

}  // namespace aclimb::tools
