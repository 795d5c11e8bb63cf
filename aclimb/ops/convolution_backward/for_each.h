#pragma once

#include <cstdint>

#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {

// Calls body(begin, end) once for [0, count) on the calling thread, or on pieces of at most `grain`
// that the team shares.
template <typename F>
void ForRange(int64_t count, int64_t grain, bool parallel, F&& body) {
  parallel ? ParallelFor(count, grain, body) : body(int64_t{0}, count);
}

// Calls body(i) for every i in [0, count): in order on the calling thread, or shared by the team.
template <typename F>
void ForEach(int64_t count, bool parallel, F&& body) {
  ForRange(count, 1, parallel, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace aclimb::convolution_backward
