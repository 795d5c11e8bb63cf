#pragma once

#include <chrono>

namespace aclimb::testing {

// Whether the attempt holds. One that fails after `limit` or more says nothing, because the machine
// may have stood still meanwhile: it is made again, five times at most.
template <typename Attempt>
bool HoldsInTime(std::chrono::milliseconds limit, const Attempt& attempt) {
  for (int left = 4;; --left) {
    const auto start = std::chrono::steady_clock::now();
    const bool holds = attempt();
    if (holds || left == 0 || std::chrono::steady_clock::now() - start < limit) return holds;
  }
}

}  // namespace aclimb::testing
