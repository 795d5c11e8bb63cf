#include "tools/check/book.h"

#include <iterator>
#include <utility>

#include "aclimb/core/text.h"

namespace aclimb::check {
namespace {

constexpr size_t kMostFreed = 4096;

template <typename Map>
auto Around(Map& blocks, uint64_t address) -> decltype(&blocks.begin()->second) {
  auto at = blocks.upper_bound(address);
  if (at == blocks.begin()) return nullptr;
  --at;
  return at->second.Has(address) ? &at->second : nullptr;
}

}  // namespace

std::string TextOf(const Block& block) {
  constexpr const char* kNames[] = {"device", "host", "mapped"};
  return Cat("the ", kNames[static_cast<int>(block.memory)], " memory at ",
             AddressText(reinterpret_cast<const void*>(block.base)), " of ", block.requested,
             " bytes");
}

void AddBlock(const Block& block, Finding& finding) {
  finding.involved.push_back({TextOf(block) + ", from " + block.made.what, block.made.site});
  if (!block.freed.what.empty()) {
    finding.involved.push_back({"freed by " + block.freed.what, block.freed.site});
  }
}

void Book::Add(Block block) {
  // Addresses that are given out again belong to nobody else any more.
  auto at = freed_.lower_bound(block.base);
  if (at != freed_.begin() && std::prev(at)->second.Has(block.base)) --at;
  while (at != freed_.end() && at->first < block.base + block.usable) at = freed_.erase(at);
  live_.insert_or_assign(block.base, std::move(block));
}

Block* Book::Free(uint64_t base, Involved freed) {
  auto node = live_.extract(base);
  if (node.empty()) return nullptr;
  node.mapped().freed = std::move(freed);
  node.mapped().free_number = ++frees_;
  freed_order_.push_back({base, frees_});
  freed_.erase(base);
  Block* block = &freed_.insert(std::move(node)).position->second;
  while (freed_order_.size() > kMostFreed) {
    const FreedBlock oldest = freed_order_.front();
    freed_order_.pop_front();
    // Its addresses may have been given out and freed again since.
    const auto known = freed_.find(oldest.base);
    if (known != freed_.end() && known->second.free_number == oldest.number) freed_.erase(known);
  }
  return block;
}

void Book::GiveBack(uint64_t base) {
  const auto freed = freed_.find(base);
  if (freed != freed_.end()) freed->second.given_back = true;
}

Block* Book::Find(uint64_t address) { return Around(live_, address); }

const Block* Book::FindFreed(uint64_t address) const { return Around(freed_, address); }

const Block* Book::FindBelow(uint64_t address) const {
  auto at = live_.upper_bound(address);
  if (at == live_.begin()) return nullptr;
  --at;
  constexpr uint64_t kNear = 64 * 1024;
  return address - (at->first + at->second.usable) < kNear ? &at->second : nullptr;
}

void Book::ForEach(const std::function<void(Block&)>& visit) {
  for (auto& [base, block] : live_) visit(block);
}

}  // namespace aclimb::check
