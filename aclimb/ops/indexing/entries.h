#pragma once

#include <cstdint>

#include "aclimb/simd/shares.h"

// What Apply() sees of its entries.
namespace aclimb::indexing {

// Elements that a thread takes at once.
inline constexpr int64_t kGrain = 32 * 1024;
// Few lines with so many entries are shared out by where the entries go.
inline constexpr int64_t kFewLines = 8;
inline constexpr int64_t kManyEntries = 32 * 1024;
inline int ShareBits(int64_t lines, int64_t entries) {
  return lines >= kFewLines || entries < kManyEntries ? 0 : aclimb::ShareBits();
}

// Where an entry goes, in elements from the line, or below 0.
struct EntryPlaces {
  const int64_t* index;
  int64_t step;
  int64_t extent;
  int64_t out_step;

  // `line` is where the line begins in the indices.
  int64_t Of(int64_t line, int64_t s) const {
    const int64_t i = index[line + s * step];
    return static_cast<uint64_t>(i) < static_cast<uint64_t>(extent) ? i * out_step : -1;
  }
};
struct EntrySources {
  const int64_t* table;
  int64_t step;

  int64_t Of(int64_t s) const { return table == nullptr ? s * step : table[s]; }
};
// Equal places have the same share, and neighbours most often different ones.
inline bool IsOfShare(int64_t place, int bits, int64_t share) {
  return bits == 0 || static_cast<int64_t>(static_cast<uint64_t>(place) * 0x9E3779B97F4A7C15u >>
                                           (64 - bits)) == share;
}

}  // namespace aclimb::indexing
