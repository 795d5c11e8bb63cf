// Both gradients of depthwise convolutions in one pass, on vectors of every kind that this
// processor has, against the definition.

#include "aclimb/ops/convolution_backward/depthwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/fenced_tensor.h"
#include "aclimb/ops/convolution_backward/test_geometry.h"
#include "aclimb/ops/convolution_backward/truth.h"
#include "aclimb/simd/each_target.h"
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

struct DTypes {
  DType x, y, weight;
};
constexpr DTypes kFloats = {DType::kFloat32, DType::kFloat32, DType::kFloat32};

Tensor ImagesLike(const Geometry& g, const int64_t (&extents)[kDims], DType dtype, int64_t gap) {
  return Tensor({g.batch, g.groups, extents[0], extents[1], extents[2]}, dtype, gap);
}

// With `turned` windows, whose lines and columns have changed places in memory.
Tensor WeightLike(const Geometry& g, DType dtype, int64_t gap, bool turned) {
  Tensor weight({g.groups, 1, g.kernel[0], g.kernel[1], g.kernel[2]}, dtype, gap);
  if (turned) std::swap(weight.view.stride[3], weight.view.stride[4]);
  return weight;
}

struct Operands {
  Operands(const Geometry& g, const DTypes& of, int64_t gap, bool turns = false)
      : geometry(g),
        dtypes(of),
        turned(turns),
        x(ImagesLike(g, g.in, of.x, gap)),
        y(ImagesLike(g, g.out, of.y, gap)),
        weight(WeightLike(g, of.weight, gap, turns)) {}

  std::vector<double> Truth(Task task) const {
    return TruthOf(geometry, task, x.Values(), y.Values(), weight.Values());
  }

  Geometry geometry;
  DTypes dtypes;
  bool turned;
  Tensor x, y, weight;
};

struct Gradients {
  std::vector<double> x, weight;  // empty: not wanted
};

Gradients GradientsOf(const Operands& operands, bool gives_x, bool gives_weight, int threads) {
  const Geometry& g = operands.geometry;
  const Depthwise plan = PlanDepthwise(g, gives_x, gives_weight, threads);
  const Tensor grad_x = ImagesLike(g, g.in, operands.dtypes.x, 3);
  const Tensor grad_weight = WeightLike(g, operands.dtypes.weight, 3, operands.turned);
  const auto bytes = static_cast<size_t>(plan.ScratchBytes());
  Fenced scratch(RoundUp(bytes, size_t{64}), true);
  std::memset(scratch.data(), 0xFF, bytes);  // NaN
  const TensorView none;
  RunDepthwise(plan, gives_weight ? operands.x.view : none, operands.y.view,
               gives_x ? operands.weight.view : none, gives_x ? grad_x.view : none,
               gives_weight ? grad_weight.view : none, scratch.data());
  Gradients gradients;
  if (gives_x) gradients.x = grad_x.Values();
  if (gives_weight) gradients.weight = grad_weight.Values();
  EXPECT_TRUE(grad_x.GapsAreUntouched() && grad_weight.GapsAreUntouched());
  return gradients;
}

void ExpectEach(const std::vector<double>& got, const std::vector<double>& right, DType dtype) {
  ASSERT_EQ(got.size(), right.size());
  // Sums of sixteenths are exact in float32: only the result is rounded, to nearest even.
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], Rounded(right[i], dtype)) << "element " << i;
  }
}

void ExpectTruth(const Geometry& geometry, const DTypes& dtypes, Random& random) {
  ASSERT_TRUE(FitsDepthwise(geometry)) << Text(geometry);
  const int threads = random.Chance(0.5) ? 1 : static_cast<int>(random.Integer(2, 7));
  SetTeamSize(threads);
  Operands operands(geometry, dtypes, random.Integer(0, 2), random.Chance(0.3));
  for (Tensor* tensor : {&operands.x, &operands.y, &operands.weight}) tensor->Fill(random);
  // Once for all targets: it takes most of the time.
  const std::vector<double> grad_x = operands.Truth(Task::kGradX);
  const std::vector<double> grad_weight = operands.Truth(Task::kGradWeight);
  const int targets = EachTarget([&] {
    for (const auto& [gives_x, gives_weight] :
         {std::pair(true, true), {true, false}, {false, true}}) {
      SCOPED_TRACE(::testing::Message()
                   << Text(geometry) << "; " << threads << " threads, " << NameOf(dtypes.x) << " "
                   << NameOf(dtypes.y) << " " << NameOf(dtypes.weight) << ", gives x " << gives_x
                   << ", weight " << gives_weight);
      const Gradients got = GradientsOf(operands, gives_x, gives_weight, threads);
      if (gives_x) ExpectEach(got.x, grad_x, dtypes.x);
      if (gives_weight) ExpectEach(got.weight, grad_weight, dtypes.weight);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
  EXPECT_GT(targets, 0);
}

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
      DepthwiseOf(1, 2, axis(150, 3, 1, 1, 1), axis(70, 3, 1, 1, 1)),  // in bands
      DepthwiseOf(1, 2, axis(5, 3, 1, 1, 1), axis(2048, 3, 1, 1, 1)),  // a band of a few lines
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
    const auto any = [&] { return kDTypes[random.Integer(0, 2)]; };
    const DTypes dtypes = random.Chance(0.5) ? kFloats : DTypes{any(), any(), any()};
    ExpectTruth(geometry, dtypes, random);
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
          ExpectTruth(DepthwiseOf(2, 37, axis(height), axis(width)), dtypes, random);
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
    Operands operands(geometry, kFloats, 0);
    for (Tensor* tensor : {&operands.x, &operands.y, &operands.weight}) {
      for (int64_t i = 0; i < tensor->view.ElementCount(); ++i) tensor->Set(i, random.Real(-1, 1));
    }
    SetTeamSize(1);
    const Gradients one = GradientsOf(operands, true, true, 1);
    for (const int threads : {2, 5, 64}) {
      SetTeamSize(threads);
      const Gradients many = GradientsOf(operands, true, true, threads);
      EXPECT_EQ(BitsOf(many.x), BitsOf(one.x)) << threads;
      EXPECT_EQ(BitsOf(many.weight), BitsOf(one.weight)) << threads;
    }
  }
}

// Equal terms, whose errors do not cancel, in sums of 200,000 of them and more.
TEST_F(DepthwiseWindows, LongSumsStayAccurate) {
  const Axis wide = {112, 3, 1, 1, 1, 1}, narrow = {7, 3, 1, 1, 1, 1};
  for (const Geometry& geometry :
       {DepthwiseOf(24, 65, wide, wide), DepthwiseOf(5000, 65, narrow, narrow)}) {
    Operands operands(geometry, kFloats, 0);
    for (Tensor* tensor : {&operands.x, &operands.y}) {
      std::fill_n(tensor->view.As<float>(), tensor->view.ElementCount(), 0.1f);
    }
    const double term = static_cast<double>(0.1f) * static_cast<double>(0.1f);
    const double all = static_cast<double>(geometry.batch * geometry.OutSize());
    EachTarget([&] {
      // The tap in the middle meets every element.
      const double middle = GradientsOf(operands, false, true, 1).weight[4];
      EXPECT_NEAR(middle / (all * term), 1, 2e-5);
    });
  }
}

TEST_F(DepthwiseWindows, RunByChannelsWhereLinesAreShort) {
  const auto runs = [](int64_t channels, int64_t height, int64_t width, int64_t kernel,
                       int64_t stride) {
    const int64_t pad = kernel / 2;
    return RunsByChannels(DepthwiseOf(1, channels, {height, kernel, stride, 1, pad, pad},
                                      {width, kernel, stride, 1, pad, pad}));
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
