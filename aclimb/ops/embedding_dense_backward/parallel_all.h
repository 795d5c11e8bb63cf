#pragma once

#include <atomic>
#include <cstdint>

#include "aclimb/simd/parallel.h"

namespace aclimb::embedding_dense_backward {

// ParallelFor that says whether every piece ran: after a cancelled pass the next one would read
// what was never written.
template <typename F>
[[nodiscard]] bool ParallelForAll(int64_t count, int64_t grain, F&& body) {
  std::atomic<int64_t> done{0};
  ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
    body(begin, end);
    done.fetch_add(end - begin, std::memory_order_relaxed);
  });
  return done.load(std::memory_order_relaxed) == count;
}

}  // namespace aclimb::embedding_dense_backward
