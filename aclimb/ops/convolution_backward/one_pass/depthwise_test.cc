// Both gradients of depthwise convolutions in one pass, on vectors of every kind that this
// processor has, against the definition.

#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/convolution_backward/one_pass/test_one_pass.h"
#include "aclimb/ops/convolution_backward/test_geometry.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

class DepthwiseWindows : public ::testing::Test {
 protected:
  void TearDown() override { SetTeamSize(0); }
};

Geometry DepthwiseOf(int64_t batch, int64_t channels, const Axis& height, const Axis& width) {
  Geometry geometry = GeometryOf(batch, 1, 1, {Axis(), height, width});
  geometry.groups = channels;
  return geometry;
}

struct DepthwisePass {
  static constexpr auto kFits = FitsDepthwise;
  static constexpr auto kPlan = PlanDepthwise;
  static constexpr auto kRun = RunDepthwise;
};

TEST_F(DepthwiseWindows, MeetTheTruth) {
  Random random(8);
  const auto axis = [](int64_t in, int64_t kernel, int64_t stride, int64_t begin, int64_t end) {
    return Axis{in, kernel, stride, 1, begin, end};
  };
  std::vector<Geometry> all = {
      DepthwiseOf(2, 3, axis(56, 3, 1, 1, 1), axis(56, 3, 1, 1, 1)),
      DepthwiseOf(9, 67, axis(7, 3, 1, 1, 1),
                  axis(7, 3, 1, 1, 1)),  // blocks of 16 channels and one of 3
      DepthwiseOf(3, 33, axis(14, 3, 2, 1, 1), axis(14, 3, 2, 1, 1)),
      DepthwiseOf(3, 20, axis(14, 5, 2, 2, 2), axis(20, 5, 2, 1, 2)),
      DepthwiseOf(2, 16, axis(7, 5, 1, 2, 2), axis(7, 5, 1, 2, 2)),
      DepthwiseOf(2, 9, axis(60, 7, 1, 3, 3), axis(8, 7, 1, 3, 3)),
      DepthwiseOf(2, 8, axis(64, 3, 1, 1, 1), axis(9, 3, 1, 1, 1)),  // a plane too large for that
      DepthwiseOf(9, 5, axis(7, 3, 1, 1, 1), axis(7, 3, 1, 1, 1)),   // too few channels
      DepthwiseOf(2, 5, axis(112, 3, 2, 1, 1), axis(112, 3, 2, 1, 1)),
      DepthwiseOf(2, 5, axis(56, 5, 2, 2, 2), axis(57, 5, 2, 2, 2)),
      DepthwiseOf(2, 3, axis(56, 7, 1, 3, 3), axis(56, 7, 1, 3, 3)),
      DepthwiseOf(2, 19, axis(7, 7, 1, 3, 3), axis(8, 7, 1, 3, 3)),
      DepthwiseOf(1, 2, axis(90, 7, 1, 3, 3), axis(100, 7, 1, 3, 3)),
      DepthwiseOf(1, 2, axis(150, 3, 1, 1, 1), axis(70, 3, 1, 1, 1)),  // in blocks of lines
      DepthwiseOf(1, 2, axis(5, 3, 1, 1, 1), axis(2048, 3, 1, 1, 1)),  // a block of a few lines
      DepthwiseOf(1, 2, axis(60, 5, 2, 0, 1), axis(400, 5, 2, 1, 0)),
      DepthwiseOf(300, 2, axis(9, 3, 1, 1, 1), axis(9, 3, 1, 1, 1)),  // sums over many images
      DepthwiseOf(1, 2, axis(1, 3, 1, 1, 1), axis(1, 3, 1, 1, 1)),
      DepthwiseOf(1, 2, axis(1, 5, 2, 4, 4), axis(2, 5, 2, 4, 4)),      // mostly padding
      DepthwiseOf(1, 2, axis(1, 3, 1, 2, 300), axis(3, 3, 1, 2, 500)),  // and far behind
      DepthwiseOf(1, 2, axis(16, 3, 2, 0, 0), axis(32, 3, 2, 0, 0)),    // ends that no window meets
  };
  for (int i = 0; i < 80; ++i) {
    const int64_t kernel = random.Chance(0.5) ? 3 : random.Chance(0.5) ? 5 : 7;
    const int64_t stride = kernel == 7 ? 1 : random.Integer(1, 2);
    const auto any = [&] {
      Axis one = axis(0, kernel, stride, random.Integer(0, kernel - 1), random.Integer(0, kernel));
      one.in = std::max<int64_t>(1, kernel - one.begin - one.end) +
               random.Integer(0, random.Chance(0.5) ? 9 : 60);
      return one;
    };
    all.push_back(DepthwiseOf(random.Integer(1, 4), random.Integer(2, 20), any(), any()));
  }
  for (const Geometry& geometry : all) {
    ExpectTruth<DepthwisePass>(geometry, SomeDTypes(random), random);
    if (HasFatalFailure()) return;
  }
}

// Windows of more elements than planes, and phases without any.
TEST_F(DepthwiseWindows, OfTinyPlanes) {
  Random random(11);
  constexpr DTypes kHalf = {DType::kFloat16, DType::kBFloat16, DType::kFloat16};
  constexpr DTypes kBrain = {DType::kBFloat16, DType::kFloat32, DType::kBFloat16};
  for (const auto& window : {std::pair<int64_t, int64_t>{3, 1}, {3, 2}, {5, 1}, {5, 2}, {7, 1}}) {
    const int64_t kernel = window.first, stride = window.second;
    for (int64_t pad = 0; pad < kernel; ++pad) {
      const auto axis = [&](int64_t in) { return Axis{in, kernel, stride, 1, pad, kernel - 1}; };
      for (const auto& [height, width] :
           {std::pair<int64_t, int64_t>{1, 1}, {1, 6}, {6, 1}, {2, 3}, {3, 3}}) {
        for (const DTypes& dtypes : {kFloats, kHalf, kBrain}) {
          ExpectTruth<DepthwisePass>(DepthwiseOf(2, 37, axis(height), axis(width)), dtypes, random);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(DepthwiseWindows, ThreadsDoNotChangeABit) {
  Random random(9);
  const Axis wide = {80, 3, 1, 1, 1, 1}, strided = {31, 5, 2, 1, 2, 2}, narrow = {7, 3, 1, 1, 1, 1},
             seven = {40, 7, 1, 1, 3, 3};
  for (const Geometry& geometry :
       {DepthwiseOf(3, 20, wide, wide), DepthwiseOf(4, 50, strided, strided),
        DepthwiseOf(400, 33, narrow, narrow), DepthwiseOf(2, 20, seven, seven),
        DepthwiseOf(30, 3, narrow, wide)}) {
    ExpectSameBits<DepthwisePass>(geometry, random);
  }
}

// Equal terms, whose errors do not cancel, in sums of 200,000 of them and more.
TEST_F(DepthwiseWindows, LongSumsStayAccurate) {
  const Axis wide = {112, 3, 1, 1, 1, 1}, narrow = {7, 3, 1, 1, 1, 1};
  for (const Geometry& geometry :
       {DepthwiseOf(24, 3, wide, wide), DepthwiseOf(5000, 17, narrow, narrow)}) {
    ExpectAccurateSums<DepthwisePass>(geometry, 2e-5);
  }
}

TEST_F(DepthwiseWindows, RunByChannelsWhereLinesAreShort) {
  const auto runs = [](int64_t channels, int64_t height, int64_t width, int64_t kernel,
                       int64_t stride) {
    const int64_t pad = kernel / 2;
    const Geometry g = DepthwiseOf(1, channels, {height, kernel, stride, 1, pad, pad},
                                   {width, kernel, stride, 1, pad, pad});
    return PlanDepthwise(g, true, true, 1).by_channels;
  };
  EXPECT_TRUE(runs(8, 10, 10, 3, 1));
  EXPECT_FALSE(runs(7, 10, 10, 3, 1));
  EXPECT_FALSE(runs(8, 10, 11, 3, 1));
  EXPECT_TRUE(runs(8, 20, 20, 5, 2));
  EXPECT_FALSE(runs(8, 20, 20, 3, 2));
  EXPECT_TRUE(runs(8, 15, 15, 3, 2));
  EXPECT_TRUE(runs(8, 64, 8, 3, 1));
  EXPECT_FALSE(runs(8, 65, 8, 3, 1));
}

TEST_F(DepthwiseWindows, AreWhatFits) {
  const Axis three = {9, 3, 1, 1, 1, 1};
  EXPECT_TRUE(FitsDepthwise(DepthwiseOf(1, 2, three, three)));
  EXPECT_FALSE(FitsDepthwise(DepthwiseOf(1, 1, three, three)));
  const Axis seven = {9, 7, 1, 1, 3, 3}, strided = {9, 7, 2, 1, 3, 3};
  EXPECT_TRUE(FitsDepthwise(DepthwiseOf(1, 2, seven, seven)));
  EXPECT_FALSE(FitsDepthwise(DepthwiseOf(1, 2, strided, strided)));
  for (const Axis& axis : {Axis{9, 3, 1, 2, 1, 1}, Axis{9, 3, 2, 1, 1, 1}, Axis{9, 5, 1, 1, 1, 1},
                           Axis{9, 3, 1, 1, 3, 1}}) {
    EXPECT_FALSE(FitsDepthwise(DepthwiseOf(1, 2, three, axis)));
    EXPECT_FALSE(FitsDepthwise(DepthwiseOf(1, 2, axis, three)));
  }
  const Axis long_one = {2048, 3, 1, 1, 1, 1}, longer = {2049, 3, 1, 1, 1, 1};
  EXPECT_TRUE(FitsDepthwise(DepthwiseOf(1, 2, longer, long_one)));
  EXPECT_FALSE(FitsDepthwise(DepthwiseOf(1, 2, long_one, longer)));
  const Axis thirds = {9, 3, 3, 1, 1, 1}, nine = {20, 9, 1, 1, 4, 4};
  EXPECT_FALSE(FitsDepthwise(DepthwiseOf(1, 2, thirds, thirds)));
  EXPECT_FALSE(FitsDepthwise(DepthwiseOf(1, 2, nine, nine)));
  Geometry two = DepthwiseOf(1, 2, three, three);
  two.y_channels = 2;
  EXPECT_FALSE(FitsDepthwise(two));
  Geometry deep = GeometryOf(1, 1, 1, {{2, 1, 1, 1, 0, 0}, three, three});
  deep.groups = 4;
  EXPECT_FALSE(FitsDepthwise(deep));
}

}  // namespace
}  // namespace aclimb::convolution_backward
