#pragma once

#include <cstdint>

namespace aclimb::copy {

// Copies bytes around the caches where the instruction set can do that: for outputs that no cache
// holds. The two do not overlap.
void StreamBytes(const void* from, int64_t bytes, void* to);

}  // namespace aclimb::copy
