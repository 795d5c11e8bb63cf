#pragma once

#include <cstdint>

#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {

// Calls body(i) for every i in [0, count): in order on the calling thread, or shared by the team.
template <typename F>
void ForEach(int64_t count, bool parallel, F&& body) {
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  };
  parallel ? ParallelFor(count, 1, run) : run(0, count);
}

}  // namespace aclimb::convolution_backward
