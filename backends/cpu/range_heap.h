#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace aclimb::cpu {

// Hands out pieces of the interval [begin, begin + size): best fit, neighbours merged on release.
// Knows which free pieces were written before ("dirty"), so that their pages can be given back.
// Not thread-safe.
class RangeHeap {
 public:
  RangeHeap(uint64_t begin, uint64_t size);

  // The offset of a free piece, or kNone. `alignment` is a power of two.
  static constexpr uint64_t kNone = ~uint64_t{0};
  uint64_t Allocate(uint64_t size, uint64_t alignment);
  void Release(uint64_t offset, uint64_t size);

  // Highest end that was ever handed out: what lies above was never touched.
  uint64_t high_water() const { return high_water_; }
  uint64_t dirty_bytes() const { return dirty_bytes_; }
  // The dirty free pieces, which count as clean afterwards.
  std::vector<std::pair<uint64_t, uint64_t>> TakeDirty();

 private:
  void Insert(uint64_t offset, uint64_t size, bool dirty);
  void Erase(std::map<uint64_t, std::pair<uint64_t, bool>>::iterator piece);

  std::map<uint64_t, std::pair<uint64_t, bool>> by_offset_;  // offset -> size, dirty
  std::set<std::pair<uint64_t, uint64_t>> by_size_;          // size, offset
  uint64_t high_water_;
  uint64_t dirty_bytes_ = 0;
};

}  // namespace aclimb::cpu
