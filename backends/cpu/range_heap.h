#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace aclimb::cpu {

// Hands out pieces of the interval [begin, begin + size): best fit, neighbours merged on release.
// Knows which free pieces were written before ("dirty"): they go first, so that a program in its
// stride touches no new pages, and their pages can be given back.
// Not thread-safe. A call that runs out of memory throws and changes nothing.
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
  struct Piece {
    uint64_t size;
    bool dirty;
  };
  using Pieces = std::map<uint64_t, Piece>;
  using Sizes = std::set<std::pair<uint64_t, uint64_t>>;
  struct Nodes {
    Pieces::node_type offset;
    Sizes::node_type size;
  };
  static constexpr size_t kSpare = 4;

  // Makes sure that one piece more than was erased can be inserted.
  void Reserve();
  void Insert(uint64_t offset, uint64_t size, bool dirty);
  void Erase(Pieces::iterator piece);

  Pieces by_offset_;
  Sizes by_size_[2];          // (size, offset) of the clean pieces and of the dirty ones
  std::vector<Nodes> spare_;  // of erased pieces, for the next ones
  uint64_t high_water_;
  uint64_t dirty_bytes_ = 0;
};

}  // namespace aclimb::cpu
