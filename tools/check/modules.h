#pragma once

#include <cstdint>

namespace aclimb::check {

// Whether the code at this address is in one of our own libraries.
bool IsOurs(uintptr_t counter);
// Whether it is in a shared library, not in the executable itself.
bool IsOfLibrary(uintptr_t counter);

}  // namespace aclimb::check
