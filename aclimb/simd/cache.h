#pragma once

#include <unistd.h>

#include <cstdint>

namespace aclimb {

// Bytes of the last-level cache as this process sees it; 32 MiB when the system does not say.
// Outputs above it gain from non-temporal stores: regular ones would read every line first.
inline int64_t LastLevelCacheBytes() {
  static const int64_t bytes = [] {
    const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const long level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return level3 > 0 ? int64_t{level3} : level2 > 0 ? int64_t{level2} : int64_t{32} << 20;
  }();
  return bytes;
}

}  // namespace aclimb
