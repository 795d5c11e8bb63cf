#pragma once

#include <cstdint>
#include <map>

namespace aclimb::check {

// A set of byte offsets, kept as disjoint ranges that do not touch.
class ByteSet {
 public:
  void Add(uint64_t begin, uint64_t end);
  bool Contains(uint64_t begin, uint64_t end) const { return FirstMissing(begin, end) == end; }
  // The first offset in [begin, end) that is not in the set; `end` when there is none.
  uint64_t FirstMissing(uint64_t begin, uint64_t end) const;
  bool Touches(uint64_t begin, uint64_t end) const;

 private:
  std::map<uint64_t, uint64_t> ranges_;  // begin -> end
};

}  // namespace aclimb::check
