#include "backends/cpu/address_space.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "aclimb/core/codes.h"

namespace aclimb::cpu {
namespace {

constexpr uint64_t kMega = uint64_t{1} << 20;

TEST(RangeHeap, PiecesAreDisjointAlignedAndMerge) {
  constexpr uint64_t kSize = 1 << 20;
  RangeHeap heap(kSize, kSize);
  std::mt19937 random(1);
  std::map<uint64_t, uint64_t> live;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 2 == 0 || live.empty()) {
      const uint64_t size = 512 * (1 + random() % 40);
      const uint64_t alignment = random() % 4 == 0 ? 4096 : 512;
      const uint64_t offset = heap.Allocate(size, alignment);
      if (offset == RangeHeap::kNone) continue;
      ASSERT_EQ(offset % alignment, 0u);
      ASSERT_GE(offset, kSize);
      ASSERT_LE(offset + size, 2 * kSize);
      const auto next = live.lower_bound(offset);
      if (next != live.end()) {
        ASSERT_LE(offset + size, next->first);
      }
      if (next != live.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second, offset);
      }
      live[offset] = size;
    } else {
      auto it = live.begin();
      std::advance(it, static_cast<long>(random() % live.size()));
      heap.Release(it->first, it->second);
      live.erase(it);
    }
  }
  for (const auto& [offset, size] : live) heap.Release(offset, size);
  heap.TakeDirty();
  EXPECT_EQ(heap.Allocate(kSize, 512), kSize);
}

TEST(RangeHeap, DirtyPiecesBecomeCleanAndMergeWithClean) {
  RangeHeap heap(0, 8192);
  const uint64_t a = heap.Allocate(1024, 512);
  heap.Release(a, 1024);
  EXPECT_EQ(heap.dirty_bytes(), 1024u);
  EXPECT_EQ(heap.Allocate(8192, 512), RangeHeap::kNone) << "dirty and clean pieces stay apart";
  const auto dirty = heap.TakeDirty();
  ASSERT_EQ(dirty.size(), 1u);
  EXPECT_EQ(dirty[0], std::make_pair(a, uint64_t{1024}));
  EXPECT_EQ(heap.dirty_bytes(), 0u);
  EXPECT_EQ(heap.Allocate(8192, 512), 0u);
}

TEST(RangeHeap, DirtyPiecesGoFirst) {
  RangeHeap heap(0, 6144);
  const uint64_t a = heap.Allocate(4096, 512);
  heap.Release(a, 4096);
  // The clean piece would fit better.
  const uint64_t b = heap.Allocate(1024, 512);
  EXPECT_LT(b, a + 4096);
  EXPECT_EQ(heap.dirty_bytes(), 3072u);
}

TEST(AddressSpace, UserAndKernelAddressesDiffer) {
  AddressSpace space(0, 64 * kMega, 128 * kMega, /*host_access=*/false);
  void* address = nullptr;
  ASSERT_EQ(space.Allocate(100, 160, &address), 0);
  EXPECT_TRUE(space.Contains(address));
  char* kernel = static_cast<char*>(space.KernelAddress(address));
  EXPECT_NE(kernel, address);
  std::memset(kernel, 1, 160);
  const void* base = nullptr;
  AddressSpace::Block block;
  ASSERT_TRUE(space.Describe(static_cast<char*>(address) + 50, &base, &block));
  EXPECT_EQ(base, address);
  EXPECT_EQ(block.requested, 100u);
  EXPECT_EQ(space.Free(static_cast<char*>(address) + 512, 0), kRtParamInvalid);
  EXPECT_EQ(space.Free(address, 0), 0);
  EXPECT_EQ(space.Free(address, 0), kRtParamInvalid);
}

TEST(AddressSpace, HostAccessMakesThemEqual) {
  AddressSpace space(0, 64 * kMega, 128 * kMega, /*host_access=*/true);
  void* address = nullptr;
  ASSERT_EQ(space.Allocate(3 * kMega, 3 * kMega + 32, &address), 0);
  EXPECT_EQ(space.KernelAddress(address), address);
  std::memset(address, 1, 3 * kMega);
  EXPECT_EQ(space.Free(address, 0), 0);
}

// Bytes of [begin, end) that are in memory.
uint64_t Resident(char* begin, char* end) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages(static_cast<size_t>(end - begin) / page);
  EXPECT_EQ(mincore(begin, pages.size() * page, pages.data()), 0);
  return page * static_cast<uint64_t>(std::count_if(
                    pages.begin(), pages.end(), [](unsigned char in) { return (in & 1) != 0; }));
}

TEST(AddressSpace, FreedBlocksThatNothingFitsDoNotPileUp) {
  AddressSpace space(0, 4096 * kMega, 8192 * kMega, false);
  char* begin = nullptr;
  char* end = nullptr;
  uint64_t touched = 0;
  for (uint64_t i = 1; i <= 28; ++i) {
    const uint64_t size = 2 * i * kMega;
    void* block;
    void* between;  // keeps the holes apart
    ASSERT_EQ(space.Allocate(size, size, &block), 0);
    ASSERT_EQ(space.Allocate(2 * kMega, 2 * kMega, &between), 0);
    char* const memory = static_cast<char*>(space.KernelAddress(block));
    std::memset(memory, 1, size);
    touched += size;
    if (begin == nullptr) begin = memory;
    end = std::max(end, memory + size);
    ASSERT_EQ(space.Free(block, 0), 0);
  }
  EXPECT_GT(touched, 800 * kMega);
  EXPECT_LT(Resident(begin, end), 450 * kMega);
  EXPECT_GT(Resident(begin, end), 0u) << "what was freed last waits for the next block";
}

TEST(AddressSpace, LargeBlocksOfOtherSizesTakeThePagesOfOnesThatAreGone) {
  AddressSpace space(0, 64 * kMega, 128 * kMega, false);
  void* first;
  ASSERT_EQ(space.Allocate(kMega + 1000, kMega + 1000, &first), 0);
  ASSERT_EQ(space.Free(first, 0), 0);
  void* larger;
  ASSERT_EQ(space.Allocate(2 * kMega - 1000, 2 * kMega - 1000, &larger), 0);
  EXPECT_EQ(larger, first);
}

TEST(AddressSpace, PagesOfManyFreedBlocksWaitForTheNextOnes) {
  AddressSpace space(0, 4096 * kMega, 8192 * kMega, false);
  std::vector<void*> blocks(300);
  char* begin = nullptr;
  char* end = nullptr;
  for (void*& block : blocks) {
    ASSERT_EQ(space.Allocate(2 * kMega, 2 * kMega + 32, &block), 0);
    char* const memory = static_cast<char*>(space.KernelAddress(block));
    std::memset(memory, 1, 2 * kMega);
    if (begin == nullptr) begin = memory;
    end = std::max(end, memory + 2 * kMega);
  }
  const uint64_t resident = Resident(begin, end);
  for (void* block : blocks) ASSERT_EQ(space.Free(block, 0), 0);
  void* next;
  ASSERT_EQ(space.Allocate(2 * kMega, 2 * kMega + 32, &next), 0);
  EXPECT_EQ(Resident(begin, end), resident);
}

// They take whole huge pages of the address range, which is twice the capacity.
TEST(AddressSpace, BlocksOfHalfAHugePageFillTheCapacity) {
  AddressSpace space(0, 128 * kMega, 256 * kMega, false);
  std::vector<void*> blocks;
  for (void* block; space.Allocate(kMega, kMega, &block) == 0;) blocks.push_back(block);
  EXPECT_EQ(blocks.size(), 128u);
  for (void* block : blocks) EXPECT_EQ(space.Free(block, 0), 0);
  void* all;
  EXPECT_EQ(space.Allocate(128 * kMega, 128 * kMega, &all), 0);
}

TEST(AddressSpace, CapacityCountsLiveBytes) {
  AddressSpace space(0, 64 * kMega, 128 * kMega, false);
  uint64_t free = 0, total = 0;
  space.Info(&free, &total);
  EXPECT_EQ(total, 64 * kMega);
  EXPECT_EQ(free, total);
  void* address = nullptr;
  EXPECT_EQ(space.Allocate(64 * kMega, 64 * kMega + 32, &address), kRtMemoryAllocation);
  ASSERT_EQ(space.Allocate(63 * kMega, 63 * kMega + 32, &address), 0);
  space.Info(&free, &total);
  EXPECT_LT(free, kMega + 1);
  void* second = nullptr;
  EXPECT_EQ(space.Allocate(kMega, kMega + 32, &second), kRtMemoryAllocation);
  space.Clear();
  space.Info(&free, &total);
  EXPECT_EQ(free, total);
  EXPECT_EQ(space.Free(address, 0), kRtParamInvalid);
  ASSERT_EQ(space.Allocate(63 * kMega, 63 * kMega + 32, &address), 0);
  EXPECT_EQ(*static_cast<char*>(space.KernelAddress(address)), 0) << "pages were given back";
}

}  // namespace
}  // namespace aclimb::cpu
