#include "aclimb/simd/slots.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace aclimb {
namespace {

TEST(Slots, NumbersStartAtZeroAndComeBack) {
  Slots slots(2);
  {
    const Slots::Lease first(slots);
    const Slots::Lease second(slots);
    EXPECT_EQ(first.number(), 0);
    EXPECT_EQ(second.number(), 1);
  }
  EXPECT_EQ(Slots::Lease(slots).number(), 0);
}

TEST(Slots, CountsAreClamped) {
  Slots none(0);
  EXPECT_EQ(Slots::Lease(none).number(), 0);
  Slots many(Slots::kMost + 100);
  std::vector<std::unique_ptr<Slots::Lease>> leases;
  for (int64_t i = 0; i < Slots::kMost; ++i) {
    leases.push_back(std::make_unique<Slots::Lease>(many));
    EXPECT_EQ(leases.back()->number(), i);
  }
}

// More threads than numbers: nobody shares one, and everybody gets a turn.
TEST(Slots, AreExclusive) {
  Slots slots(3);
  int owners[3] = {};  // unguarded but for the leases
  std::atomic<int> clashes{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        const Slots::Lease lease(slots);
        if (++owners[lease.number()] != 1) ++clashes;
        --owners[lease.number()];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes.load(), 0);
}

// Each of two units waits until the other one runs too, for ten seconds at most.
TEST(Slots, UnitsWithoutScratchDoNotWaitForEachOther) {
  SetTeamSize(2);
  std::atomic<int> arrived{0}, met{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  EXPECT_TRUE(ForEachUnit(2, 1, {nullptr, 1, 0}, [&](int64_t, const char* scratch) {
    EXPECT_EQ(scratch, nullptr);
    ++arrived;
    while (arrived < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    met += arrived == 2 ? 1 : 0;
  }));
  EXPECT_EQ(met, 2);
  SetTeamSize(0);
}

}  // namespace
}  // namespace aclimb
