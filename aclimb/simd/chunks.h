#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "aclimb/simd/parallel.h"

namespace aclimb {

// Elements that are looked at at once, first to count what is found and then to use it.
inline constexpr int64_t kChunk = 16 * 1024;

inline int64_t EndOfChunk(int64_t chunk, int64_t count) {
  return std::min(count, (chunk + 1) * kChunk);
}

// before[chunk] = the sum of count_of over all chunks before it. Returns the sum of all, or -1 when
// the run was cancelled.
template <typename CountOf>
int64_t CountBefore(int64_t chunks, int64_t* before, CountOf count_of) {
  const bool counted = ParallelForAll(chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) before[chunk] = count_of(chunk);
  });
  if (!counted) return -1;
  int64_t all = 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) all += std::exchange(before[chunk], all);
  return all;
}

}  // namespace aclimb
