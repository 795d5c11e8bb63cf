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

TEST(ParallelFor, HelpersComeOnlyWhereTheyMay) {
  SetTeamSize(4);
  for (const Helpers helpers :
       {Helpers::kNone, Helpers::kAwake, Helpers::kOpenMp, Helpers::kTeam}) {
    const HelpersScope scope(helpers);
    const HelpersScope inner(Helpers::kTeam);  // cannot give what the outer one refuses
    for (int64_t count : {1, 2, 7, 1001}) {
      std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
      std::atomic<int> elsewhere{0};
      const auto caller = std::this_thread::get_id();
      EXPECT_TRUE(ParallelForAll(count, 3, [&](int64_t begin, int64_t end) {
        elsewhere += std::this_thread::get_id() != caller ? 1 : 0;
        for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
      }));
      for (auto& hit : hits) ASSERT_EQ(hit, 1) << count;
      if (helpers == Helpers::kNone) {
        EXPECT_EQ(elsewhere, 0);
      }
    }
  }
  SetTeamSize(0);
}

// The caller sleeps in the first piece that it takes: others take all the rest.
TEST(ParallelFor, TheWorkOfALateThreadIsTaken) {
  SetTeamSize(2);
  constexpr int64_t kPieces = 100;
  std::atomic<int64_t> done{0};
  int64_t by_caller = 0;
  const auto caller = std::this_thread::get_id();
  ParallelFor(kPieces, 1, [&](int64_t, int64_t) {
    if (std::this_thread::get_id() == caller) {
      ++by_caller;
      while (done < kPieces - 1) std::this_thread::yield();
    }
    ++done;
  });
  EXPECT_EQ(done, kPieces);
  EXPECT_LE(by_caller, 1) << "it may have found nothing left";
  SetTeamSize(0);
}

}  // namespace
}  // namespace aclimb
