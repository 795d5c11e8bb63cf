#pragma once

#include "aclimb/observe/observer.h"

namespace aclimb::tools {

// Writes a timeline in the Chrome trace format to the file that ACLIMB_TRACE names: the program's
// calls by thread, the work by stream, arrows from the call that queued it to its run, and the
// device memory in use. Null when the variable is not set or the file cannot be made.
observe::Observer* MakeTrace();

}  // namespace aclimb::tools
