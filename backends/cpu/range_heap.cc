#include "backends/cpu/range_heap.h"

#include <algorithm>

namespace aclimb::cpu {

RangeHeap::RangeHeap(uint64_t begin, uint64_t size) : high_water_(begin) {
  Insert(begin, size, false);
}

void RangeHeap::Insert(uint64_t offset, uint64_t size, bool dirty) {
  if (size == 0) return;
  by_offset_.emplace(offset, std::make_pair(size, dirty));
  by_size_.emplace(size, offset);
  if (dirty) dirty_bytes_ += size;
}

void RangeHeap::Erase(std::map<uint64_t, std::pair<uint64_t, bool>>::iterator piece) {
  by_size_.erase({piece->second.first, piece->first});
  if (piece->second.second) dirty_bytes_ -= piece->second.first;
  by_offset_.erase(piece);
}

uint64_t RangeHeap::Allocate(uint64_t size, uint64_t alignment) {
  for (auto it = by_size_.lower_bound({size, 0}); it != by_size_.end(); ++it) {
    const uint64_t offset = it->second;
    const uint64_t piece_size = it->first;
    const uint64_t start = (offset + alignment - 1) & ~(alignment - 1);
    if (start + size > offset + piece_size) continue;
    const auto piece = by_offset_.find(offset);
    const bool dirty = piece->second.second;
    Erase(piece);
    Insert(offset, start - offset, dirty);
    Insert(start + size, offset + piece_size - start - size, dirty);
    high_water_ = std::max(high_water_, start + size);
    return start;
  }
  return kNone;
}

void RangeHeap::Release(uint64_t offset, uint64_t size) {
  // Only dirty neighbours are merged with: a clean one would have to be counted as written.
  auto next = by_offset_.lower_bound(offset);
  if (next != by_offset_.end() && next->first == offset + size && next->second.second) {
    size += next->second.first;
    auto gone = next++;
    Erase(gone);
  }
  if (next != by_offset_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second.first == offset && previous->second.second) {
      offset = previous->first;
      size += previous->second.first;
      Erase(previous);
    }
  }
  Insert(offset, size, true);
}

std::vector<std::pair<uint64_t, uint64_t>> RangeHeap::TakeDirty() {
  std::vector<std::pair<uint64_t, uint64_t>> dirty;
  std::map<uint64_t, std::pair<uint64_t, bool>> old;
  old.swap(by_offset_);
  by_size_.clear();
  dirty_bytes_ = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  for (const auto& [piece_offset, piece] : old) {
    if (piece.second) dirty.emplace_back(piece_offset, piece.first);
    if (size != 0 && offset + size == piece_offset) {
      size += piece.first;
      continue;
    }
    Insert(offset, size, false);
    offset = piece_offset;
    size = piece.first;
  }
  Insert(offset, size, false);
  return dirty;
}

}  // namespace aclimb::cpu
