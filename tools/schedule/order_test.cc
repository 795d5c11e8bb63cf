#include "tools/schedule/order.h"

#include <gtest/gtest.h>

#include <map>

namespace aclimb::tools {
namespace {

constexpr Front kFronts[] = {{1, 1}, {2, 1}, {3, 1}};

TEST(RandomOrderTest, TheSameSeedAnswersTheSame) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomOrder a(seed);
    RandomOrder b(seed);
    for (uint64_t point = 1; point < 100; ++point) {
      const bool must = point % 3 == 0;
      const auto answer = a.Next(point, kFronts, must);
      EXPECT_EQ(answer, b.Next(point, kFronts, must));
      if (must) {
        EXPECT_TRUE(answer.has_value());
      }
      if (answer) {
        EXPECT_LT(*answer, std::size(kFronts));
      }
    }
  }
}

TEST(RandomOrderTest, SeedsReachEveryFrontAndEveryDelay) {
  std::map<size_t, int> first;
  std::map<bool, int> at_once;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ++first[*RandomOrder(seed).Next(1, kFronts, /*must=*/true)];
    ++at_once[RandomOrder(seed).Next(1, kFronts, /*must=*/false).has_value()];
  }
  for (size_t i = 0; i < std::size(kFronts); ++i) EXPECT_GT(first[i], 30);
  EXPECT_GT(at_once[true], 30);
  EXPECT_GT(at_once[false], 30);
}

TEST(RandomOrderTest, NothingToRunIsNoAnswer) {
  EXPECT_FALSE(RandomOrder(1).Next(1, {}, /*must=*/true));
}

TEST(RecordedOrderTest, RepeatsStepsAtTheirPoints) {
  RecordedOrder order({{2, {2, 1}}, {2, {1, 1}}, {5, {3, 1}}});
  EXPECT_FALSE(order.Next(1, kFronts, /*must=*/false));
  EXPECT_EQ(order.Next(2, kFronts, /*must=*/false), 1u);
  EXPECT_EQ(order.Next(2, kFronts, /*must=*/false), 0u);
  EXPECT_FALSE(order.Next(2, kFronts, /*must=*/false));
  // A wait does not wait for the point.
  EXPECT_EQ(order.Next(4, kFronts, /*must=*/true), 2u);
  // What the recording does not have runs when it must.
  EXPECT_FALSE(order.Next(5, kFronts, /*must=*/false));
  EXPECT_EQ(order.Next(5, kFronts, /*must=*/true), 0u);
}

TEST(RecordedOrderTest, HasNoStepsInAChildOfFork) {
  RecordedOrder order({{1, {2, 1}}, {2, {1, 1}}});
  order.EndRecorded();
  const Front fronts[] = {{1, 1}, {2, 1}};
  EXPECT_EQ(order.Next(1, fronts, /*must=*/false), std::nullopt);
  EXPECT_EQ(order.Next(1, fronts, /*must=*/true), 0u);
}

TEST(RecordedOrderTest, WaitsForWorkThatComesLater) {
  RecordedOrder order({{1, {7, 1}}, {1, {2, 1}}});
  EXPECT_FALSE(order.Next(1, kFronts, /*must=*/true));
  constexpr Front kLater[] = {{2, 1}, {7, 1}};
  EXPECT_EQ(order.Next(2, kLater, /*must=*/true), 1u);
  EXPECT_EQ(order.Next(2, kFronts, /*must=*/true), 1u);
}

}  // namespace
}  // namespace aclimb::tools
