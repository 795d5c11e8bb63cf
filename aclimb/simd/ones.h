#pragma once

#include <cstdint>

namespace aclimb {

// The bits of a mask's element, which is true when it is not 0.
inline constexpr uint8_t kAnyBit = 0xFF;

// How many of `count` elements, `step` apart, have one of the bits. Sums of a few bytes, of which
// the compiler makes vectors.
template <typename T>
int64_t CountOnes(const T* x, int64_t step, int64_t count, T bits) {
  constexpr int64_t kMostInByte = 255;
  int64_t all = 0;
  for (int64_t i = 0; i < count; i += kMostInByte) {
    const int64_t n = count - i < kMostInByte ? count - i : kMostInByte;
    uint8_t some = 0;
    if (step == 1) {
      for (int64_t k = 0; k < n; ++k) some = static_cast<uint8_t>(some + ((x[i + k] & bits) != 0));
    } else {
      for (int64_t k = 0; k < n; ++k) {
        some = static_cast<uint8_t>(some + ((x[(i + k) * step] & bits) != 0));
      }
    }
    all += some;
  }
  return all;
}

// Calls body(places, how many) with the places of those, in ascending order, a few at a time. They
// are found without a branch, which would be guessed wrong every other time.
template <typename T, typename Body>
void EachOnes(const T* x, int64_t step, int64_t count, T bits, const Body& body) {
  constexpr int64_t kPiece = 1024;
  int64_t places[kPiece];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    const int64_t end = count - begin < kPiece ? count : begin + kPiece;
    int64_t found = 0;
    for (int64_t i = begin; i < end; ++i) {
      places[found] = i;
      found += (x[i * step] & bits) != 0 ? 1 : 0;
    }
    body(static_cast<const int64_t*>(places), found);
  }
}

}  // namespace aclimb
