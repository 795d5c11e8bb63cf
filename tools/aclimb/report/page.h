#pragma once

#include <string>

#include "tools/aclimb/report/trace_file.h"

namespace aclimb::cli::report {

// The spans and the memory of the trace as columns of numbers, which page.js reads again. Times are
// nanoseconds; begins are distances from the span before in the row.
Json ColumnsOf(const Trace& trace);

// The page: style, scripts and data in one text that refers to nothing outside of it.
std::string PageOf(const std::string& title, const Json& data);

}  // namespace aclimb::cli::report
