#include "backends/cpu/address_space.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "aclimb/backend/backend.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/system_refusal.h"
#include "backends/cpu/refusal.h"
#include "backends/cpu/scheduler.h"

namespace aclimb::cpu {
namespace {

constexpr uint64_t kAlignment = ACLIMB_MEMORY_GRANULE;
constexpr uint64_t kHugePage = uint64_t{2} << 20;
constexpr uint64_t kPage = 4096;
// So many bytes from the start of the space have ordinary pages: programs that have few small
// tensors hold no huge ones for them.
constexpr uint64_t kOrdinaryBytes = 2 * kHugePage;
constexpr uint64_t kLargeBlock = uint64_t{1} << 20;
constexpr uint64_t kCommitStep = uint64_t{64} << 20;
// What the process may hold beside a quarter more than the program once had in use.
constexpr uint64_t kCacheSlack = uint64_t{256} << 20;
constexpr uint64_t kSmallestRange = uint64_t{256} << 20;
constexpr int kMaxSpaces = 64;
constexpr char kWhose[] = "the memory of the allocation";

std::atomic<AddressSpace*> spaces[kMaxSpaces];
constinit std::mutex publish_mutex;
constinit int published = 0;

class SpacesPart final : public ForkPart {
 public:
  bool TryLock(bool) override {
    if (!publish_mutex.try_lock()) return false;
    for (int i = 0; i < published; ++i) {
      if (At(i).TryLock()) continue;
      while (--i >= 0) At(i).Unlock();
      publish_mutex.unlock();
      return false;
    }
    return true;
  }
  void Unlock() override {
    for (int i = 0; i < published; ++i) At(i).Unlock();
    publish_mutex.unlock();
  }
  void Renew(bool locked) override {
    for (int i = 0; i < published; ++i) At(i).Renew(locked);
    if (locked) publish_mutex.unlock();
    new (&publish_mutex) std::mutex;
  }

 private:
  static AddressSpace& At(int slot) { return *spaces[slot].load(std::memory_order_relaxed); }
};
SpacesPart spaces_part;

// What a block takes of the range, while there is room: large ones whole huge pages, because what
// is left of one could hold no other large block, and blocks of slightly different sizes would each
// need new pages.
uint64_t Extent(uint64_t reserved) {
  return reserved < kLargeBlock ? reserved : RoundUp(reserved, kHugePage);
}

}  // namespace

void PublishSpace(AddressSpace* space) {
  const std::lock_guard<std::mutex> lock(publish_mutex);
  if (published < kMaxSpaces) spaces[published++].store(space, std::memory_order_release);
}

AddressSpace* SpaceOf(const void* address) {
  for (const auto& entry : spaces) {
    AddressSpace* space = entry.load(std::memory_order_acquire);
    if (space == nullptr) return nullptr;
    if (space->Contains(address)) return space;
  }
  return nullptr;
}

AddressSpace::AddressSpace(int device, uint64_t capacity, uint64_t range, bool host_access)
    : device_(device), capacity_(capacity) {
  range = RoundUp(std::max(range, kSmallestRange), kHugePage);
  void* base = MAP_FAILED;
  for (; range >= kSmallestRange; range = RoundUp(range / 2, kHugePage)) {
    const uint64_t bytes = (host_access ? range : 2 * range) + kHugePage;
    base = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base != MAP_FAILED) break;
  }
  if (base == MAP_FAILED) {
    const SystemRefusal refusal =
        RefusedMemory("the address space for device memory", "mmap", 2 * kSmallestRange, errno);
    char text[sizeof(refusal.what) + sizeof(refusal.fix) + 128];
    const int size = std::snprintf(text, sizeof(text),
                                   "aclimb: %s Device addresses are ordinary host addresses in "
                                   "this process.\n  fix: %s\n",
                                   refusal.what, refusal.fix);
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, static_cast<size_t>(size));
    return;
  }
  range_ = range;
  user_base_ = reinterpret_cast<char*>(RoundUp(reinterpret_cast<uint64_t>(base), kHugePage));
  kernel_base_ = host_access ? user_base_ : user_base_ + range;
  distance_ = kernel_base_ - user_base_;
  small_end_ = RoundUp(range / 8, kHugePage);
  small_ = RangeHeap(0, small_end_);
  large_ = RangeHeap(small_end_, range - small_end_);
  large_committed_ = small_end_;
  madvise(kernel_base_ + kOrdinaryBytes, range - kOrdinaryBytes, MADV_HUGEPAGE);
}

bool AddressSpace::Contains(const void* address) const {
  if (user_base_ != nullptr) {
    return address >= user_base_ && static_cast<const char*>(address) < user_base_ + range_;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t key = reinterpret_cast<uint64_t>(address);
  auto it = live_.upper_bound(key);
  if (it == live_.begin()) return false;
  --it;
  return key < it->first + it->second.reserved;
}

// Opens the pages up to `end` in big steps: few system calls, and neighbouring steps stay one
// mapping. Reserved but unopened pages count for nothing, whatever the overcommit policy.
bool AddressSpace::Commit(uint64_t end, uint64_t limit, uint64_t* committed) {
  if (end <= *committed) return true;
  // Where the system refuses a big step it may still give what is needed.
  for (const uint64_t step : {kCommitStep, kPage}) {
    const uint64_t target = std::min(limit, RoundUp(end, step));
    const uint64_t bytes = target - *committed;
    if (mprotect(kernel_base_ + *committed, bytes, PROT_READ | PROT_WRITE) == 0) {
      *committed = target;
      ForgetRefusal();  // of the larger step
      return true;
    }
    NoteRefusedMemory(kWhose, "mprotect", bytes, errno);
  }
  return false;
}

void AddressSpace::ReclaimFreed() {
  if (pending_.empty()) return;
  const uint64_t oldest = Scheduler::Get().OldestMemoryUser();
  while (!pending_.empty() && pending_.front().ticket <= oldest) {
    const auto& [offset, block, ticket] = pending_.front();
    if (user_base_ != nullptr) {
      HeapOf(offset).Release(offset, block.extent);
    } else {
      std::free(reinterpret_cast<void*>(offset));
    }
    pending_bytes_ -= block.reserved;
    extents_ -= block.extent;
    pending_.pop_front();
  }
}

void AddressSpace::TrimCache() {
  for (RangeHeap* heap : {&small_, &large_}) {
    for (const auto& [offset, size] : heap->TakeDirty()) {
      const uint64_t begin = RoundUp(offset, kPage);
      const uint64_t end = (offset + size) / kPage * kPage;
      if (end > begin) madvise(kernel_base_ + begin, end - begin, MADV_DONTNEED);
    }
  }
}

uint64_t AddressSpace::FindRoom(uint64_t extent) {
  uint64_t offset = RangeHeap::kNone;
  if (extent >= kLargeBlock) {
    offset = large_.Allocate(extent, kHugePage);
  } else {
    offset = small_.Allocate(extent, kAlignment);
  }
  if (offset == RangeHeap::kNone) offset = large_.Allocate(extent, kAlignment);
  if (offset == RangeHeap::kNone) offset = small_.Allocate(extent, kAlignment);
  return offset;
}

int AddressSpace::AllocateFallback(Blocks::node_type entry, void** address) {
  const Block& block = entry.mapped();
  void* memory = std::aligned_alloc(kAlignment, block.reserved);
  if (memory == nullptr) {
    NoteRefusedMemory(kWhose, "aligned_alloc", block.reserved, errno);
    return kRtMemoryAllocation;
  }
  std::memset(static_cast<char*>(memory) + block.requested, 0, block.usable - block.requested);
  used_ += block.reserved;
  entry.key() = reinterpret_cast<uint64_t>(memory);
  live_.insert(std::move(entry));
  *address = memory;
  return 0;
}

int AddressSpace::Allocate(uint64_t requested, uint64_t usable, void** address) {
  ForgetRefusal();
  std::lock_guard<std::mutex> lock(mutex_);
  ReclaimFreed();
  const uint64_t reserved = RoundUp(usable, kAlignment);
  if (reserved < usable || reserved > capacity_ || used_ + pending_bytes_ > capacity_ - reserved) {
    return kRtMemoryAllocation;
  }
  // Made before anything changes, so that exhausted memory leaves no half of an allocation.
  Blocks made;
  made.emplace(0, Block{requested, usable, reserved, 0});
  auto entry = made.extract(made.begin());
  if (user_base_ == nullptr) return AllocateFallback(std::move(entry), address);
  uint64_t extent = Extent(reserved);
  if (Held() + extent > std::max(capacity_, most_extents_)) TrimCache();
  uint64_t offset = FindRoom(extent);
  if (offset == RangeHeap::kNone) {
    TrimCache();  // clean neighbours merge, which may make a piece that is large enough
    offset = FindRoom(extent);
  }
  if (offset == RangeHeap::kNone) {
    extent = reserved;
    offset = FindRoom(extent);
  }
  if (offset == RangeHeap::kNone) return kRtMemoryAllocation;
  const bool in_small = offset < small_end_;
  const bool open = in_small ? Commit(offset + extent, small_end_, &small_committed_)
                             : Commit(offset + extent, range_, &large_committed_);
  if (!open) {
    HeapOf(offset).Release(offset, extent);
    return kRtMemoryAllocation;
  }
  std::memset(kernel_base_ + offset + requested, 0, usable - requested);
  entry.key() = offset;
  entry.mapped().extent = extent;
  live_.insert(std::move(entry));
  used_ += reserved;
  extents_ += extent;
  *address = user_base_ + offset;
  BoundCache();
  return 0;
}

// Freed pages wait for the next block, which need not fit: then they would pile up.
void AddressSpace::BoundCache() noexcept {
  most_extents_ = std::max(most_extents_, extents_);
  if (Held() <= most_extents_ + most_extents_ / 4 + kCacheSlack) return;
  try {
    TrimCache();
  } catch (...) {  // No memory for the list of pieces: a later allocation tries again.
  }
}

int AddressSpace::Free(void* address, uint64_t ticket) {
  std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t key = user_base_ != nullptr
                           ? static_cast<uint64_t>(static_cast<char*>(address) - user_base_)
                           : reinterpret_cast<uint64_t>(address);
  const auto it = live_.find(key);
  if (it == live_.end()) return kRtParamInvalid;
  const Block& block = it->second;
  const auto later =
      std::upper_bound(pending_.begin(), pending_.end(), ticket,
                       [](uint64_t mine, const Pending& other) { return mine < other.ticket; });
  const auto before = later - pending_.begin();
  // Not by insert(), which puts the first one to the front: that takes memory each time.
  pending_.push_back(Pending{key, block, ticket});
  std::rotate(pending_.begin() + before, pending_.end() - 1, pending_.end());
  pending_bytes_ += block.reserved;
  used_ -= block.reserved;
  live_.erase(it);
  try {
    ReclaimFreed();
  } catch (...) {  // The block stays pending until a later call finds memory.
  }
  return 0;
}

void AddressSpace::Clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  while (!live_.empty()) {
    const auto& [offset, block] = *live_.begin();
    pending_.push_back(Pending{offset, block, Scheduler::Get().NextTicket()});
    pending_bytes_ += block.reserved;
    used_ -= block.reserved;
    live_.erase(live_.begin());
  }
  ReclaimFreed();
  if (user_base_ == nullptr) return;
  TrimCache();
  most_extents_ = extents_;
  if (!pending_.empty()) return;
  // Nothing is left, so that the pages that blocks shared go too.
  madvise(kernel_base_, small_committed_, MADV_DONTNEED);
  madvise(kernel_base_ + small_end_, large_committed_ - small_end_, MADV_DONTNEED);
}

bool AddressSpace::Charge(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  ReclaimFreed();
  if (bytes > capacity_ || used_ + pending_bytes_ > capacity_ - bytes) return false;
  used_ += bytes;
  return true;
}

void AddressSpace::Discharge(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  used_ -= bytes;
}

void AddressSpace::Info(uint64_t* free, uint64_t* total) {
  std::lock_guard<std::mutex> lock(mutex_);
  ReclaimFreed();
  *total = capacity_;
  *free = capacity_ - used_ - pending_bytes_;
}

uint64_t AddressSpace::WaitingBytes() {
  std::lock_guard<std::mutex> lock(mutex_);
  ReclaimFreed();
  return pending_bytes_;
}

void AddressSpace::Renew(bool locked) {
  if (locked) mutex_.unlock();
  new (&mutex_) std::mutex;
}

bool AddressSpace::Describe(const void* address, const void** base, Block* block) const {
  if (user_base_ == nullptr || !mutex_.try_lock()) return false;
  const uint64_t offset = static_cast<uint64_t>(static_cast<const char*>(address) - user_base_);
  auto it = live_.upper_bound(offset);
  const bool found = it != live_.begin();
  if (found) {
    --it;
    *base = user_base_ + it->first;
    *block = it->second;
  }
  mutex_.unlock();
  return found;
}

}  // namespace aclimb::cpu
