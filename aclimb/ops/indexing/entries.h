#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "aclimb/simd/cache.h"
#include "aclimb/simd/shares.h"

// What Apply() sees of its entries.
namespace aclimb::indexing {

// Elements that a thread takes at once.
inline constexpr int64_t kGrain = 32 * 1024;
// Few lines, or pieces of lines side by side, with entries of so many elements are shared out by
// where the entries go, into 2^bits shares.
inline constexpr int64_t kFewLines = 8;
inline constexpr int64_t kManyElements = 32 * 1024;
inline int ShareBits(int64_t lines, int64_t elements) {
  return lines >= kFewLines || elements < kManyElements ? 0 : aclimb::ShareBits();
}
// Of entries of one element, which go to so many bytes. While a cache holds these, a few threads
// need longer to look at all entries, and to leave out the others', than one to apply them.
inline int ShareBitsOfElements(int64_t lines, int64_t entries, int64_t bytes) {
  constexpr int kFewBits = 2;
  const int bits = ShareBits(lines, entries);
  return bits <= kFewBits && bytes <= CacheShareBytes() / 4 ? 0 : bits;
}
// How many entries before its turn one of `count` is prefetched, which go to single elements of so
// many bytes: those that no near cache holds.
inline int64_t AheadOf(int64_t bytes, int64_t count) {
  constexpr int64_t kNearBytes = 512 * 1024, kFarAhead = 32;
  return bytes > kNearBytes ? kFarAhead : count;
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
    return Has(i) ? i * out_step : -1;
  }
  bool Has(int64_t i) const { return static_cast<uint64_t>(i) < static_cast<uint64_t>(extent); }
};
struct EntrySources {
  const int64_t* table;
  int64_t step;

  int64_t Of(int64_t s) const { return table == nullptr ? s * step : table[s]; }
};
// Places [begin, end), a share of those that the entries of a line go to.
struct Share {
  int64_t begin = 0;
  int64_t end = std::numeric_limits<int64_t>::max();

  bool IsAll() const { return begin == 0 && end == std::numeric_limits<int64_t>::max(); }
  bool Has(int64_t place) const {
    return static_cast<uint64_t>(place - begin) < static_cast<uint64_t>(end - begin);
  }
};

// One of 2^bits shares. Some of the entries say where the shares begin, so that all have about as
// many entries: places side by side are most often in the cache of one core, which wrote them.
inline Share ShareOf(const EntryPlaces& places, int64_t line, int64_t count, int bits,
                     int64_t number) {
  if (bits == 0) return {};
  constexpr int64_t kSamples = 256;
  int64_t sample[kSamples];
  for (int64_t k = 0; k < kSamples; ++k) sample[k] = places.Of(line, count * k / kSamples);
  const auto begin_of = [&](int64_t share) {
    int64_t* const at = sample + (share * kSamples >> bits);
    std::nth_element(sample, at, sample + kSamples);
    return std::max<int64_t>(0, *at);
  };
  Share share;
  if (number > 0) share.begin = begin_of(number);
  if (number + 1 < int64_t{1} << bits) share.end = begin_of(number + 1);
  return share;
}

struct OwnEntry {
  int64_t place, s;
};
// Calls body(entries, how many) for the entries of a line that go to the share, in order, some at a
// time. By value: what the body writes may then be none of it. Returns whether all entries go
// somewhere.
template <typename Body>
bool EachBlock(const EntryPlaces places, int64_t line, int64_t count, const Share share,
               const Body body) {
  // No processor foresees which entries these are: they are chosen without branches.
  constexpr int64_t kBlock = 256;
  OwnEntry own[kBlock];
  bool all_known = true;
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t last = std::min(count, first + kBlock);
    int64_t chosen = 0;
    for (int64_t s = first; s < last; ++s) {
      const int64_t place = places.Of(line, s);
      all_known &= place >= 0;
      own[chosen] = {place, s};
      chosen += share.Has(place) ? 1 : 0;
    }
    body(own, chosen);
  }
  return all_known;
}

// Calls body(place, s) for each entry of a line that goes to the share, in order. By value, as
// EachBlock(). Returns whether all entries go somewhere.
template <typename Body>
bool EachEntry(const EntryPlaces places, int64_t line, int64_t count, const Share share,
               const Body body) {
  bool all_known = true;
  if (share.IsAll()) {
    for (int64_t s = 0; s < count; ++s) {
      const int64_t i = places.index[line + s * places.step];
      if (!places.Has(i)) [[unlikely]] {
        all_known = false;
      } else {
        body(i * places.out_step, s);
      }
    }
    return all_known;
  }
  return EachBlock(places, line, count, share, [body](const OwnEntry* own, int64_t chosen) {
    for (int64_t k = 0; k < chosen; ++k) body(own[k].place, own[k].s);
  });
}

}  // namespace aclimb::indexing
