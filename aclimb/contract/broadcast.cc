#include "aclimb/contract/broadcast.h"

#include <algorithm>

namespace aclimb::contract {

bool BroadcastInto(std::span<const int64_t> other, int64_t* extents, size_t& count) {
  if (other.size() > count) {
    const size_t more = other.size() - count;
    std::copy_backward(extents, extents + count, extents + other.size());
    std::fill_n(extents, more, 1);
    count = other.size();
  }
  int64_t* const aligned = extents + (count - other.size());
  for (size_t d = 0; d < other.size(); ++d) {
    if (other[d] == 1 || other[d] == aligned[d]) continue;
    if (aligned[d] != 1) return false;
    aligned[d] = other[d];
  }
  return true;
}

std::optional<std::vector<int64_t>> BroadcastShape(std::span<const int64_t> a,
                                                   std::span<const int64_t> b) {
  int64_t extents[8];
  size_t count = 0;
  if (!BroadcastInto(a, extents, count) || !BroadcastInto(b, extents, count)) return std::nullopt;
  return std::vector<int64_t>(extents, extents + count);
}

}  // namespace aclimb::contract
