#include "aclimb/simd/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

namespace aclimb {
namespace {

TEST(ParallelFor, CoversEveryElementOnceForAnyTeamAndGrain) {
  for (int team : {1, 2, 5}) {
    SetTeamSize(team);
    for (int64_t count : {0, 1, 7, 64, 1001}) {
      for (int64_t grain : {0, 1, 3, 64, 5000}) {
        std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
        std::atomic<int64_t> longest{0};
        ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
          if (end - begin > longest) longest = end - begin;
          for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
        });
        for (auto& hit : hits) ASSERT_EQ(hit, 1) << team << ' ' << count << ' ' << grain;
        EXPECT_LE(longest, grain < 1 ? 1 : grain);
      }
    }
  }
  SetTeamSize(0);
}

TEST(ParallelFor, WhatAnyThreadThrowsLeavesTheCall) {
  for (int team : {1, 2, 5}) {
    SetTeamSize(team);
    for (int64_t thrower : {0, 500, 999}) {
      const auto body = [&](int64_t begin, int64_t end) {
        if (begin <= thrower && thrower < end) throw std::bad_alloc();
      };
      EXPECT_THROW(ParallelFor(1000, 10, body), std::bad_alloc) << team << ' ' << thrower;
    }
    std::atomic<int64_t> sum{0};
    ParallelFor(1000, 10, [&](int64_t begin, int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 1000) << "the team works on";
  }
  SetTeamSize(0);
}

int always() { return 1; }

TEST(ParallelFor, StopsWhenTheQuerySaysSo) {
  SetTeamSize(2);
  SetCancelQuery(&always);
  std::atomic<int> pieces{0};
  ParallelFor(1000000, 1, [&](int64_t, int64_t) { ++pieces; });
  SetCancelQuery(nullptr);
  SetTeamSize(0);
  EXPECT_LT(pieces, 1000000);
}

void OnlyFirstPart(void (*body)(void*, int), void* context) { body(context, 0); }
void OnlyLastPart(void (*body)(void*, int), void* context) { body(context, 1); }
void BothParts(void (*body)(void*, int), void* context) {
  std::thread other(body, context, 1);
  body(context, 0);
  other.join();
}

class SharedLoops : public ::testing::TestWithParam<SharedRun> {
 protected:
  void SetUp() override {
    SetTeamSize(2);
    SetSharedRun(GetParam());
  }
  void TearDown() override {
    SetSharedRun(nullptr);
    SetTeamSize(0);
  }
  const SerialScope serial_{true};
};

TEST_P(SharedLoops, CoverEveryElementOnce) {
  for (int64_t count : {2, 7, 64, 1001}) {
    for (int64_t grain : {1, 3, 64}) {
      std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
      const bool all = ParallelForAll(count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
      });
      EXPECT_TRUE(all);
      for (auto& hit : hits) ASSERT_EQ(hit, 1) << count << ' ' << grain;
    }
  }
}

TEST_P(SharedLoops, LetOutWhatAnyPartThrows) {
  const auto body = [](int64_t begin, int64_t end) {
    if (begin <= 500 && 500 < end) throw std::bad_alloc();
  };
  EXPECT_THROW(ParallelFor(1000, 10, body), std::bad_alloc);
}

TEST_P(SharedLoops, StopWhenTheQuerySaysSo) {
  SetCancelQuery(&always);
  constexpr int64_t kEndless = int64_t{1} << 50;
  EXPECT_FALSE(ParallelForAll(kEndless, 1, [](int64_t, int64_t) {}));
  SetCancelQuery(nullptr);
}

INSTANTIATE_TEST_SUITE_P(Parts, SharedLoops,
                         ::testing::Values(&OnlyFirstPart, &OnlyLastPart, &BothParts));

TEST(SharedLoops, AreOfferedOnlyByThreadsThatOpenNoTeam) {
  static std::atomic<int> offers;
  offers = 0;
  SetSharedRun([](void (*body)(void*, int), void* context) {
    ++offers;
    body(context, 0);
  });
  const auto loop = [](int team, bool serial) {
    SetTeamSize(team);
    const SerialScope scope(serial);
    ParallelFor(10, 1, [](int64_t, int64_t) {});
    return offers.exchange(0);
  };
  EXPECT_EQ(loop(2, true), 1);
  EXPECT_EQ(loop(2, false), 0);
  EXPECT_EQ(loop(1, true), 0);
  SetSharedRun(nullptr);
  SetTeamSize(0);
}

}  // namespace
}  // namespace aclimb
