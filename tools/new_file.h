#pragma once

#include <string>
#include <string_view>

namespace aclimb::tools {

// Opens a file for writing that is new: one that exists is kept, unless `replace` allows to empty
// it. Returns the descriptor, or -1 with errno.
int OpenNewFile(const std::string& path, bool replace);

// errno of what that would fail with now; 0 when it would not. Makes no file.
int NewFileError(const std::string& path, bool replace);

// What was expected where that failed, and what to do.
//   error    errno
//   replace  how the user allows to replace a file, as "set ACLIMB_FORCE=1"
std::string ExpectedNewFile(int error, const char* replace);

// Writes all of it, however many calls that takes; false with errno when it does not work.
bool WriteAll(int descriptor, std::string_view bytes);

}  // namespace aclimb::tools
