#pragma once

#include <string>

#include "tools/aclimb/replay/recording.h"

namespace aclimb::cli {

// The call as a C++ program that needs the public headers alone. Tensors of less than 256 elements
// each stand in it; else it reads them from the folder that it gets as its argument.
//   folder  as the user named it, for the comment on top
// Throws Unreadable when an input was left out.
std::string ProgramOf(const Recording& recording, const std::string& folder);

}  // namespace aclimb::cli
