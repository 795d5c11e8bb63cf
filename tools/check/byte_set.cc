#include "tools/check/byte_set.h"

#include <algorithm>
#include <iterator>

namespace aclimb::check {

void ByteSet::Add(uint64_t begin, uint64_t end) {
  if (begin >= end) return;
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
  while (at != ranges_.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = ranges_.erase(at);
  }
  ranges_.emplace(begin, end);
}

uint64_t ByteSet::FirstMissing(uint64_t begin, uint64_t end) const {
  auto at = ranges_.upper_bound(begin);
  if (at == ranges_.begin()) return std::min(begin, end);
  --at;
  return at->second <= begin ? std::min(begin, end) : std::min(at->second, end);
}

bool ByteSet::Touches(uint64_t begin, uint64_t end) const {
  if (begin >= end) return false;
  auto at = ranges_.lower_bound(end);
  return at != ranges_.begin() && std::prev(at)->second > begin;
}

}  // namespace aclimb::check
