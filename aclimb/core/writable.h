#pragma once

#include <string>

namespace aclimb {

// errno of what opening the file for writing would fail with now, also where it would be made; 0
// when it would not. Makes no file.
int WritingError(const std::string& path);

}  // namespace aclimb
