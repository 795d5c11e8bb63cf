#pragma once

#include <string>

#include "tools/aclimb/report/json_array.h"

namespace aclimb::cli::report {

// What ACLIMB_CHECK_OUT's file tells, as a list of rule, note, count, what, fix and involved calls,
// each with its frames as text, the outermost ones left out. Throws Problem.
Json ReadFindings(const std::string& path);

}  // namespace aclimb::cli::report
