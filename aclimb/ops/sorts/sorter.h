#pragma once

#include <cstdint>

#include "aclimb/ops/sorts/order.h"

namespace aclimb::sorts {

// Puts the first elements of lines in order. No two entries are equal, so that the result is the
// same however the work is done.
template <typename Entry>
class Sorter {
 public:
  // Of lines of `length` elements, the first `wanted`, 1 or more. With `last_alone` only the last
  // of them has to stand in its place, behind the others.
  Sorter(const Order& order, int64_t length, int64_t wanted, bool last_alone)
      : order_(order), length_(length), wanted_(wanted), last_alone_(last_alone) {}

  // Both take two buffers of `length` entries and return the one in which the first entries are.
  // Elements of the line are `stride` apart.
  const Entry* SortAlone(const void* line, int64_t stride, Entry* buffer, Entry* other) const;
  // With the threads that this one may have. Null when the run was cancelled.
  const Entry* SortTogether(const void* line, int64_t stride, Entry* buffer, Entry* other) const;

  // Lines that are shorter have nothing to share out.
  static constexpr int64_t kLeastBlock = 32 * 1024;

 private:
  // Makes the entries of `count` elements, from the place `begin` on, and puts the first wanted
  // ones in order: in `run` or in `other`, whichever is returned. Both have room for all.
  Entry* SortRun(const void* line, int64_t stride, int64_t begin, int64_t count, Entry* run,
                 Entry* other) const;
  // Brings the first `wanted` of such entries to the front of `run`, the last of those to its
  // place.
  void Select(const void* line, int64_t stride, int64_t begin, int64_t count, int64_t wanted,
              Entry* run) const;

  Order order_;
  int64_t length_;
  int64_t wanted_;
  bool last_alone_;
};

}  // namespace aclimb::sorts
