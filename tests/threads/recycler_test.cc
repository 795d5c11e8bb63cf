// Blocks come back, up to a bound, and never to two owners.

#include "aclimb/core/recycler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <thread>
#include <vector>

namespace aclimb {
namespace {

TEST(Recycler, EverySizeHoldsItsBytes) {
  for (size_t size : {size_t{0}, size_t{1}, size_t{64}, size_t{65}, Recycler::kLargest,
                      Recycler::kLargest + 1, size_t{100000}}) {
    for (int round = 0; round < 3; ++round) {
      void* const a = Recycler::Allocate(size);
      void* const b = Recycler::Allocate(size);
      ASSERT_NE(a, b);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % alignof(std::max_align_t), 0u);
      std::memset(a, 1, size);
      std::memset(b, 2, size);
      Recycler::Free(a, size);
      Recycler::Free(b, size);
    }
  }
  Recycler::Free(nullptr, 8);
}

TEST(Recycler, MoreBlocksThanAreKept) {
  std::vector<void*> blocks;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3 * Recycler::kKept; ++i) blocks.push_back(Recycler::Allocate(200));
    for (void* block : blocks) Recycler::Free(block, 200);
    blocks.clear();
  }
}

struct Base : Recycled {
  virtual ~Base() = default;
};
struct Derived : Base {
  explicit Derived(int value) { std::memset(bytes, value, sizeof(bytes)); }
  bool Holds(int value) const {
    for (unsigned char byte : bytes) {
      if (byte != value) return false;
    }
    return true;
  }
  unsigned char bytes[1000];
};

// Each thread deletes what another one made.
TEST(Recycler, ThreadsExchangeObjects) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  std::vector<std::vector<std::unique_ptr<Base>>> made(kThreads);
  for (int round = 0; round < 3; ++round) {
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&made, t] {
        auto& mine = made[static_cast<size_t>(t)];
        mine.clear();
        std::list<int, RecyclingAllocator<int>> nodes;
        for (int i = 0; i < 300; ++i) {
          nodes.push_back(t);
          mine.push_back(std::make_unique<Derived>(t + 1));
        }
        for (int node : nodes) ASSERT_EQ(node, t);
        for (const auto& object : mine) {
          ASSERT_TRUE(static_cast<const Derived&>(*object).Holds(t + 1));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    std::rotate(made.begin(), made.begin() + 1, made.end());
  }
}

}  // namespace
}  // namespace aclimb
