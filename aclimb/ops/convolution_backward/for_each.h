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

}  // namespace aclimb::convolution_backward
