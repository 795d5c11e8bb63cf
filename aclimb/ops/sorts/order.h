#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::sorts {

// An order of the elements of a line. Equal ones, as zeros of both signs and all NaNs are, keep
// their order.
struct Order {
  DType dtype = DType::kUndefined;
  bool descending = false;
  bool nan_is_least = false;  // else larger than all others
};

// An element as it is sorted: numbers that compare as the order has it, and its place in the line.
// Of elements of 4 bytes or less in a line that 32 bits can count, both are in one number.
struct NarrowEntry {
  uint64_t bits;

  static NarrowEntry Of(uint64_t key, int64_t place) {
    return {key << 32 | static_cast<uint64_t>(place)};
  }
  uint64_t Key() const { return bits >> 32; }
  int64_t Place() const { return static_cast<int64_t>(bits & 0xFFFFFFFFu); }
  bool operator<(const NarrowEntry& other) const { return bits < other.bits; }
};
struct WideEntry {
  uint64_t key;
  int64_t place;

  static WideEntry Of(uint64_t key, int64_t place) { return {key, place}; }
  uint64_t Key() const { return key; }
  int64_t Place() const { return place; }
  bool operator<(const WideEntry& other) const {
    return key != other.key ? key < other.key : place < other.place;
  }
};
inline bool NeedsWideEntries(DType dtype, int64_t length) {
  return SizeOf(dtype) > 4 || length > (int64_t{1} << 32);
}

// Bits of a key.
inline int KeyBits(DType dtype) { return 8 * static_cast<int>(SizeOf(dtype)); }
// The key of every NaN, which no number has.
inline uint64_t KeyOfNan(const Order& order) {
  const uint64_t most = ~uint64_t{0} >> (64 - KeyBits(order.dtype));
  return order.nan_is_least == order.descending ? most : 0;
}

// Entries of `count` elements, `stride` apart, from the place `begin` on; `line` is place 0.
template <typename Entry>
void FillEntries(const Order& order, const void* line, int64_t stride, int64_t begin, int64_t count,
                 Entry* entries);

}  // namespace aclimb::sorts
