#pragma once

#include <string>
#include <vector>

namespace aclimb::tools {

// The environment variables that the tools read.
inline constexpr const char* kVariables[] = {
    "ACLIMB_TRACE",     "ACLIMB_FAULT",        "ACLIMB_FAULT_SEED", "ACLIMB_CHECK",
    "ACLIMB_CHECK_OUT", "ACLIMB_CHECK_EXIT",   "ACLIMB_MUTE",       "ACLIMB_FORCE",
    "ACLIMB_RECORD",    "ACLIMB_RECORD_LIMIT", "ACLIMB_SCHEDULE",   "ACLIMB_SCHEDULE_OUT"};

// A value that one of them cannot have.
struct Problem {
  std::string what;    // "ACLIMB_FORCE is "yes"; expected 0 or 1."
  std::string effect;  // "Files that exist are kept; correct it, or unset it."
};

// What is wrong with the values that the process has now, one entry for each variable. Files are
// not tried.
std::vector<Problem> ValueProblems();
// Files that cannot be written, or are there already, one entry for each variable. Makes none.
std::vector<Problem> FileProblems();

}  // namespace aclimb::tools
