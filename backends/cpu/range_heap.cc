#include "backends/cpu/range_heap.h"

#include <algorithm>
#include <iterator>

namespace aclimb::cpu {

RangeHeap::RangeHeap(uint64_t begin, uint64_t size) : high_water_(begin) {
  Reserve();
  Insert(begin, size, false);
}

void RangeHeap::Reserve() {
  spare_.reserve(kSpare);
  if (!spare_.empty()) return;
  std::map<uint64_t, Piece> offset;
  std::set<std::pair<uint64_t, uint64_t>> size;
  offset.emplace();
  size.emplace();
  spare_.push_back(Nodes{offset.extract(offset.begin()), size.extract(size.begin())});
}

void RangeHeap::Insert(uint64_t offset, uint64_t size, bool dirty) {
  if (size == 0) return;
  Nodes nodes = std::move(spare_.back());
  spare_.pop_back();
  nodes.offset.key() = offset;
  nodes.offset.mapped() = Piece{size, dirty};
  nodes.size.value() = {size, offset};
  by_offset_.insert(std::move(nodes.offset));
  by_size_[dirty].insert(std::move(nodes.size));
  if (dirty) dirty_bytes_ += size;
}

void RangeHeap::Erase(Pieces::iterator piece) {
  if (piece->second.dirty) dirty_bytes_ -= piece->second.size;
  auto size = by_size_[piece->second.dirty].extract({piece->second.size, piece->first});
  auto offset = by_offset_.extract(piece);
  if (spare_.size() < kSpare) spare_.push_back(Nodes{std::move(offset), std::move(size)});
}

uint64_t RangeHeap::Allocate(uint64_t size, uint64_t alignment) {
  Reserve();  // a piece may be left on both sides of what is taken out of one
  for (const bool dirty : {true, false}) {
    const Sizes& sizes = by_size_[dirty];
    for (auto it = sizes.lower_bound({size, 0}); it != sizes.end(); ++it) {
      const auto [piece_size, offset] = *it;
      const uint64_t start = (offset + alignment - 1) & ~(alignment - 1);
      if (start + size > offset + piece_size) continue;
      Erase(by_offset_.find(offset));
      Insert(offset, start - offset, dirty);
      Insert(start + size, offset + piece_size - start - size, dirty);
      high_water_ = std::max(high_water_, start + size);
      return start;
    }
  }
  return kNone;
}

void RangeHeap::Release(uint64_t offset, uint64_t size) {
  Reserve();
  // Only dirty neighbours are merged with: a clean one would have to be counted as written.
  auto next = by_offset_.lower_bound(offset);
  if (next != by_offset_.end() && next->first == offset + size && next->second.dirty) {
    size += next->second.size;
    auto gone = next++;
    Erase(gone);
  }
  if (next != by_offset_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second.size == offset && previous->second.dirty) {
      offset = previous->first;
      size += previous->second.size;
      Erase(previous);
    }
  }
  Insert(offset, size, true);
}

std::vector<std::pair<uint64_t, uint64_t>> RangeHeap::TakeDirty() {
  std::vector<std::pair<uint64_t, uint64_t>> dirty;
  dirty.reserve(by_offset_.size());
  for (auto& [offset, piece] : by_offset_) {
    if (piece.dirty) dirty.emplace_back(offset, piece.size);
    piece.dirty = false;
  }
  dirty_bytes_ = 0;
  Sizes& sizes = by_size_[false];
  sizes.merge(by_size_[true]);
  for (auto it = by_offset_.begin(); it != by_offset_.end();) {
    const auto next = std::next(it);
    const auto [offset, piece] = *it;
    if (next == by_offset_.end() || offset + piece.size != next->first) {
      it = next;
      continue;
    }
    auto node = sizes.extract({piece.size, offset});
    it->second.size += next->second.size;
    node.value().first = it->second.size;
    sizes.insert(std::move(node));
    Erase(next);
    // Again with the piece after it.
  }
  return dirty;
}

}  // namespace aclimb::cpu
