#pragma once

#include <cstddef>
#include <cstdint>

namespace aclimb {

// The share of the index-th word in the hash of a sequence, which is the sum of all shares; for
// tables in memory. Each word has an odd factor of its own, so that no multiplication waits for
// another; the product's upper half comes down, since lower bits know nothing of higher ones.
constexpr uint64_t HashShare(uint64_t word, size_t index) {
  const uint64_t factor = (2 * index + 1) * 0x9E3779B97F4A7C15u;
  const uint64_t product = (word + factor) * factor;
  return product ^ product >> 32;
}

}  // namespace aclimb
