#pragma once

#include "aclimb/simd/parallel.h"

namespace aclimb {

// For loops in which every share looks at all that there is and does its own part of it: the base-2
// logarithm of how many shares there are, about one for each thread and eight at most.
inline int ShareBits() {
  constexpr int kMostBits = 3;
  int bits = 0;
  while (bits < kMostBits && (1 << bits) < TeamSize()) ++bits;
  return bits;
}

}  // namespace aclimb
