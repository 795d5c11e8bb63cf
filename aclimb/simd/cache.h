#pragma once

#include <cstdint>

namespace aclimb {

// Bytes of the last-level cache that this processor's cores share; 32 MiB when the system does not
// say. Outputs above it gain from non-temporal stores: regular ones would read every line first.
int64_t LastLevelCacheBytes();

}  // namespace aclimb
