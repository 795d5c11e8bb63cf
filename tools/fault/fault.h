#pragma once

#include "aclimb/observe/observer.h"

namespace aclimb::tools {

// Makes calls and tasks fail as ACLIMB_FAULT says (fault_spec.h), so that a program's handling of
// errors can be tested. Null when the variable is not set, or wrong (tools/problems.h tells).
observe::Observer* MakeFault();

}  // namespace aclimb::tools
