#include "aclimb/simd/cache.h"

#include <hwy/targets.h>

#include <algorithm>
#include <cstdio>

#include "aclimb/core/cores.h"

namespace aclimb {
namespace {

// The kernel's description of one cache of the first processor, or 0. sysconf is no source: in a
// virtual machine it may add up the caches of the whole host.
int64_t CacheBytes(int index) {
  char path[80];
  std::snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return 0;
  long long size = 0;
  char unit = '\0';
  const int fields = std::fscanf(file, "%lld%c", &size, &unit);
  std::fclose(file);
  if (fields < 1 || size <= 0) return 0;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

int64_t LargestCache() {
  int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const int64_t bytes = CacheBytes(index);
    if (bytes > largest) largest = bytes;
  }
  return largest > 0 ? largest : int64_t{32} << 20;
}

}  // namespace

int64_t LastLevelCacheBytes() {
  static const int64_t bytes = LargestCache();
  return bytes;
}

int64_t CacheShareBytes() {
  constexpr int64_t kMostOfCore = int64_t{32} << 20;
  static const int64_t bytes = std::min(LastLevelCacheBytes(), kMostOfCore * CoreCount());
  return bytes;
}

bool PrefetchesOutputs() {
#if HWY_ARCH_X86
  static const bool prefetches = (hwy::SupportedTargets() & (HWY_AVX3 | HWY_AVX3_DL)) == HWY_AVX3;
  return prefetches;
#else
  return false;
#endif
}

}  // namespace aclimb
