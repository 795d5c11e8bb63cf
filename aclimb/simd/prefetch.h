#pragma once

#include <cstdint>

namespace aclimb {

// Prefetches the cache lines of `count` elements, one or more.
template <typename T>
inline void PrefetchLines(const T* first, int64_t count) {
  for (int64_t i = 0; i < count; i += 64 / sizeof(T)) __builtin_prefetch(first + i);
  // It may lie in a line of its own.
  __builtin_prefetch(first + count - 1);
}

}  // namespace aclimb
