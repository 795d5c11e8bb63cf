// Both gradients of convolutions in groups in one pass, on vectors of every kind that this
// processor has, against the definition.

#include "aclimb/ops/convolution_backward/one_pass/grouped.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "aclimb/ops/convolution_backward/one_pass/test_one_pass.h"
#include "aclimb/ops/convolution_backward/test_geometry.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

class WindowsInGroups : public ::testing::Test {
 protected:
  void TearDown() override { SetTeamSize(0); }
};

Geometry GroupsOf(int64_t batch, int64_t groups, int64_t x_channels, int64_t y_channels,
                  const Axis& height, const Axis& width) {
  Geometry geometry = GeometryOf(batch, x_channels, y_channels, {Axis(), height, width});
  geometry.groups = groups;
  return geometry;
}

struct GroupedPass {
  static constexpr auto kFits = FitsGrouped;
  static constexpr auto kPlan = PlanGrouped;
  static constexpr auto kRun = RunGrouped;
};

constexpr Axis kThree = {14, 3, 1, 1, 1, 1};

TEST_F(WindowsInGroups, MeetTheTruth) {
  Random random(12);
  const Geometry named[] = {
      GroupsOf(2, 3, 8, 8, {28, 3, 1, 1, 1, 1}, {28, 3, 1, 1, 1, 1}),
      GroupsOf(3, 5, 16, 16, kThree, kThree),
      GroupsOf(2, 2, 8, 16, kThree, {15, 3, 2, 1, 1, 1}),
      GroupsOf(2, 3, 16, 8, {15, 3, 2, 1, 1, 1}, kThree),
      GroupsOf(2, 3, 1, 16, kThree, kThree),
      GroupsOf(3, 6, 4, 4, kThree, {15, 3, 2, 1, 1, 1}),  // two groups in an element
      GroupsOf(70, 3, 4, 4, {5, 3, 1, 1, 1, 1}, {9, 5, 1, 1, 2, 2}),
      GroupsOf(2, 2, 4, 4, {1, 7, 1, 1, 3, 3}, {1, 7, 1, 1, 3, 3}),  // planes of one element
      GroupsOf(9, 2, 7, 5, {7, 3, 1, 1, 1, 1}, {7, 3, 1, 1, 1, 1}),
      GroupsOf(70, 2, 8, 8, {5, 3, 1, 1, 1, 1}, {5, 3, 1, 1, 1, 1}),  // chunks of three images
      GroupsOf(1, 70, 8, 8, {5, 3, 1, 1, 1, 1}, {5, 3, 1, 1, 1, 1}),  // one chunk
      GroupsOf(2, 2, 8, 8, {1, 1, 1, 1, 0, 0}, {120, 9, 1, 1, 4, 4}),
      GroupsOf(2, 2, 8, 8, {120, 9, 1, 1, 4, 4}, {1, 1, 1, 1, 0, 0}),
      GroupsOf(2, 2, 16, 16, {13, 1, 1, 1, 0, 0}, {13, 1, 1, 1, 0, 0}),
      GroupsOf(2, 2, 8, 8, {13, 1, 2, 1, 0, 0}, {13, 1, 2, 1, 0, 0}),  // elements no window meets
      GroupsOf(2, 2, 8, 8, {20, 7, 1, 1, 3, 3}, {20, 7, 1, 1, 3, 3}),
      GroupsOf(1, 2, 16, 16, {20, 5, 2, 1, 2, 2}, {20, 5, 3, 1, 2, 2}),
      GroupsOf(1, 2, 8, 8, {40, 3, 1, 16, 16, 16}, {40, 3, 1, 12, 12, 12}),
      GroupsOf(1, 2, 8, 8, {1, 3, 1, 1, 2, 40}, {2, 3, 1, 1, 2, 40}),   // mostly padding
      GroupsOf(1, 2, 8, 8, {100, 2, 1, 1, 0, 0}, {40, 2, 1, 1, 0, 0}),  // several bands
      GroupsOf(1, 2, 8, 8, {9, 4, 1, 1, 1, 1}, {9, 5, 1, 1, 2, 2}),     // taps in parts
      GroupsOf(1, 2, 8, 8, {9, 1, 1, 1, 0, 0}, {30, 7, 1, 2, 6, 6}),
      GroupsOf(1, 2, 8, 8, {3, 1, 1, 1, 0, 0}, {1100, 3, 1, 1, 1, 1}),  // a line in pieces
      GroupsOf(1, 2, 8, 8, {70, 2, 64, 64, 64, 0}, {70, 2, 1, 64, 0, 0}),
      GroupsOf(1, 2, 8, 8, kThree, {9, 1, 1, int64_t{1} << 62, 0, 0}),  // of one element
      GroupsOf(1, 2, 8, 8, {9, 1, 1, int64_t{1} << 62, 0, 0}, kThree),
  };
  constexpr DTypes kHalf = {DType::kFloat16, DType::kFloat16, DType::kFloat16};
  constexpr DTypes kBrain = {DType::kBFloat16, DType::kBFloat16, DType::kBFloat16};
  for (const Geometry& geometry : named) {
    for (const DTypes& dtypes : {kFloats, kHalf, kBrain}) {
      ExpectTruth<GroupedPass>(geometry, dtypes, 1, random);
      if (HasFatalFailure()) return;
    }
  }
  for (int i = 0; i < 60; ++i) {
    const auto any = [&] {
      Axis one;
      one.kernel = random.Integer(1, 5);
      one.stride = random.Integer(1, 3);
      one.dilation = random.Integer(1, 3);
      const int64_t reach = (one.kernel - 1) * one.dilation;
      one.begin = random.Integer(0, reach);
      one.end = random.Integer(0, reach + 2);
      one.in = std::max<int64_t>(1, reach + 1 - one.begin - one.end) + random.Integer(0, 20);
      return one;
    };
    const bool fours = random.Chance(0.3);
    const auto channels = [&] { return fours ? 4 : random.Integer(1, 16); };
    const int64_t x_channels = channels(), y_channels = channels();
    const Geometry geometry =
        GroupsOf(random.Integer(1, 4), random.Integer(2, 5), x_channels, y_channels, any(), any());
    ExpectTruth<GroupedPass>(geometry, SomeDTypes(random), random);
    if (HasFatalFailure()) return;
  }
}

TEST_F(WindowsInGroups, ThreadsDoNotChangeABit) {
  Random random(13);
  const Axis strided = {31, 5, 2, 1, 2, 2};
  for (const Geometry& geometry :
       {GroupsOf(5, 4, 8, 8, kThree, kThree), GroupsOf(70, 3, 16, 16, strided, strided),
        GroupsOf(2, 80, 7, 8, kThree, kThree), GroupsOf(9, 13, 4, 4, strided, kThree)}) {
    ExpectSameBits<GroupedPass>(geometry, random);
  }
}

// Equal terms, whose errors do not cancel, in sums of 200,000 of them.
TEST_F(WindowsInGroups, LongSumsStayAccurate) {
  const Axis line = {6000, 3, 1, 1, 1, 1}, one = {1, 1, 1, 1, 0, 0};
  for (const Geometry& geometry :
       {GroupsOf(1100, 2, 8, 8, kThree, kThree), GroupsOf(1100, 2, 16, 16, kThree, kThree),
        GroupsOf(1100, 2, 4, 4, kThree, kThree), GroupsOf(40, 2, 8, 8, one, line)}) {
    ExpectAccurateSums<GroupedPass>(geometry, 5e-6);
  }
}

TEST_F(WindowsInGroups, OfFourArePaired) {
  const auto together = [](int64_t x_channels, int64_t y_channels) {
    const Geometry geometry = GroupsOf(1, 3, x_channels, y_channels, kThree, kThree);
    return PlanGrouped(geometry, true, true, 1).together;
  };
  EXPECT_EQ(together(4, 4), 2);
  EXPECT_EQ(together(3, 4), 1);
  EXPECT_EQ(together(4, 3), 1);
  EXPECT_EQ(together(8, 8), 1);
}

TEST_F(WindowsInGroups, AreWhatFits) {
  const auto fits = [](int64_t groups, int64_t x, int64_t y, const Axis& height,
                       const Axis& width) {
    return FitsGrouped(GroupsOf(1, groups, x, y, height, width));
  };
  EXPECT_TRUE(fits(2, 16, 16, kThree, kThree));
  EXPECT_FALSE(fits(1, 16, 16, kThree, kThree));
  EXPECT_FALSE(fits(2, 17, 16, kThree, kThree));
  EXPECT_FALSE(fits(2, 16, 17, kThree, kThree));
  EXPECT_TRUE(fits(2, 8, 8, {14, 7, 1, 1, 3, 3}, {14, 7, 1, 1, 3, 3}));
  EXPECT_FALSE(fits(2, 8, 8, {14, 7, 1, 1, 3, 3}, {14, 8, 1, 1, 3, 3}));  // so many taps
  constexpr int64_t kHuge = int64_t{1} << 58;  // of a plane of 14 such lines still a number
  for (const Axis& axis :
       {Axis{100, 2, 1, 65, 0, 0}, Axis{14, 3, 1, 1, 3, 1}, Axis{200, 1, 65, 1, 0, 0},
        Axis{kHuge, 1, 1, 1, 0, 0}, Axis{14, 3, 1, 1, 1, kHuge}}) {
    EXPECT_FALSE(fits(2, 8, 8, kThree, axis));
    EXPECT_FALSE(fits(2, 8, 8, axis, kThree));
  }
  // Planes beyond what a core keeps to itself.
  EXPECT_TRUE(fits(2, 8, 8, {76, 3, 1, 1, 1, 1}, {76, 3, 1, 1, 1, 1}));
  EXPECT_FALSE(fits(2, 8, 8, {80, 3, 1, 1, 1, 1}, {80, 3, 1, 1, 1, 1}));
  Geometry deep = GeometryOf(1, 8, 8, {{2, 1, 1, 1, 0, 0}, kThree, kThree});
  deep.groups = 4;
  EXPECT_FALSE(FitsGrouped(deep));
}

}  // namespace
}  // namespace aclimb::convolution_backward
