#pragma once

#include "aclimb/observe/observer.h"

namespace aclimb::tools {

// Writes every operator call into the folder that ACLIMB_RECORD names: its arguments and codes, its
// inputs as they were when the run began and its outputs as they were when it ended. Null when the
// variable is not set or the folder cannot be made.
observe::Observer* MakeRecord();

}  // namespace aclimb::tools
