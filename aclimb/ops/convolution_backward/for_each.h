#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {

// Calls body(begin, end) once for [0, count) on the calling thread, or on pieces of at most `grain`
// that the team shares. False where the work was cancelled before all of the pieces ran.
template <typename F>
bool ForRange(int64_t count, int64_t grain, bool parallel, F&& body) {
  if (parallel) return ParallelForAll(count, grain, body);
  body(int64_t{0}, count);
  return true;
}

// Calls body(i) for every i in [0, count): in order on the calling thread, or shared by the team.
template <typename F>
bool ForEach(int64_t count, bool parallel, F&& body) {
  return ForRange(count, 1, parallel, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

// Images of a chunk where so many pieces are cut into chunks of images each: as many units as there
// are pieces, or up to 64, whatever the team.
inline int64_t ImagesOfChunk(int64_t batch, int64_t pieces) {
  constexpr int64_t kMostUnits = 64;
  return CeilDivide(batch, std::max<int64_t>(1, kMostUnits / pieces));
}

}  // namespace aclimb::convolution_backward
