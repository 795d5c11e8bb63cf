#pragma once

#include <cstdint>
#include <utility>

namespace aclimb {

// Sorts entries by the lowest `key_bits` bits of their Key(), one digit after the other; those with
// equal keys keep their order. A digit that all of them share costs nothing but the counting.
// Returns where they ended: in `from`, or in `to`, which has as much room. On this thread.
template <typename Entry>
Entry* SortByDigits(Entry* from, Entry* to, int64_t count, int key_bits) {
  constexpr int kDigitBits = 8, kMostDigits = 8;
  constexpr uint64_t kMask = (1 << kDigitBits) - 1;
  if (count == 0) return from;
  int64_t next[kMostDigits][1 << kDigitBits] = {};
  const int digits = (key_bits + kDigitBits - 1) / kDigitBits;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t key = from[i].Key();
    for (int d = 0; d < digits; ++d) ++next[d][key >> (d * kDigitBits) & kMask];
  }
  for (int d = 0; d < digits; ++d) {
    if (next[d][from[0].Key() >> (d * kDigitBits) & kMask] == count) continue;
    int64_t sum = 0;
    for (int64_t& start : next[d]) sum += std::exchange(start, sum);
    for (int64_t i = 0; i < count; ++i) {
      to[next[d][from[i].Key() >> (d * kDigitBits) & kMask]++] = from[i];
    }
    std::swap(from, to);
  }
  return from;
}

}  // namespace aclimb
