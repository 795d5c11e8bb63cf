#pragma once

#include "tools/aclimb/report/json_array.h"

namespace aclimb::cli::report {

// The arguments of a run as people read them: a list of pairs of name and text, as "FLOAT [2, 3]".
// What is usual is left out: strides of a contiguous tensor, offset 0, format ND.
Json ArgumentTexts(const Json& arguments);

}  // namespace aclimb::cli::report
