// Our own sums on tiles against the definition, where this processor has tiles.

#include "aclimb/ops/convolution_backward/products/tile_windows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "aclimb/ops/convolution_backward/fenced_tensor.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/ops/convolution_backward/truth.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

class TileSums : public ::testing::Test {
 protected:
  void SetUp() override {
    if (onednn::ProductsOf(DType::kBFloat16) != Products::kBFloat16Tiles) {
      GTEST_SKIP() << "this processor has no tiles, or they are switched off";
    }
  }
  void TearDown() override { SetTeamSize(0); }
};

struct Case {
  int64_t batch, groups, x_channels, y_channels;
  std::vector<int64_t> in, kernel, stride, dilation, begin, end;
};

struct Problem {
  explicit Problem(const Case& c) {
    const int64_t x_channels = c.groups * c.x_channels, y_channels = c.groups * c.y_channels;
    x_shape = {c.batch, x_channels};
    y_shape = {c.batch, y_channels};
    weight_shape = {y_channels, c.x_channels};
    for (size_t d = 0; d < c.in.size(); ++d) {
      const auto out =
          WindowCount(c.in[d], c.begin[d], c.end[d], c.kernel[d], c.dilation[d], c.stride[d]);
      exists = exists && out.has_value();
      x_shape.push_back(c.in[d]);
      y_shape.push_back(out.value_or(1));
      weight_shape.push_back(c.kernel[d]);
    }
    truth.input_shape = x_shape;
    truth.output_shape = y_shape;
    truth.weight_shape = weight_shape;
    truth.stride = c.stride;
    truth.dilation = c.dilation;
    truth.pad = c.begin;
    truth.groups = c.groups;
    geometry = MakeGeometry(x_shape, y_shape, weight_shape, c.groups,
                            {c.stride, c.dilation, c.begin, c.end, {}});
  }

  bool exists = true;
  std::vector<int64_t> x_shape, y_shape, weight_shape;
  Definition truth;
  Geometry geometry;
};

// As [taps][y channels][x channels].
std::vector<double> ResultOf(const Problem& problem, int threads, const Tensor& x,
                             const Tensor& y) {
  const TileWindows windows = PlanTileWindows(problem.geometry, threads);
  const Tensor result(problem.weight_shape, DType::kBFloat16);
  const Fenced scratch(static_cast<size_t>(windows.ScratchBytes()), true);
  std::memset(scratch.data(), 0xFF, static_cast<size_t>(windows.ScratchBytes()));  // NaN
  RunTileWindows(windows, Embed(x.view), Embed(y.view), result.view.As<BFloat16>(), scratch.data());
  return result.Values();
}

std::vector<double> Expected(Problem& problem, const Tensor& x, const Tensor& y) {
  int64_t weights = 1;
  for (const int64_t extent : problem.weight_shape) weights *= extent;
  problem.truth.Compute(y.Values(), x.Values(), std::vector<double>(static_cast<size_t>(weights)));
  const size_t taps = static_cast<size_t>(problem.geometry.KernelSize());
  const std::vector<double>& by_weight = problem.truth.grad_weight;
  std::vector<double> by_tap(by_weight.size());
  for (size_t i = 0; i < by_weight.size(); ++i) {
    by_tap[i % taps * (by_weight.size() / taps) + i / taps] = by_weight[i];
  }
  return by_tap;
}

// False where no window exists.
bool ExpectTruth(const Case& c, Random& random) {
  Problem problem(c);
  if (!problem.exists) return false;
  Tensor x(problem.x_shape, DType::kBFloat16), y(problem.y_shape, DType::kBFloat16);
  x.Fill(random);
  y.Fill(random);
  const std::vector<double> got = ResultOf(problem, 1, x, y), expected = Expected(problem, x, y);
  EXPECT_EQ(got.size(), expected.size());
  // Sums of sixteenths are exact in float32: only the result is rounded, to nearest even.
  for (size_t i = 0; i < got.size(); ++i) {
    char rounded[4];
    Save(rounded, DType::kBFloat16, expected[i]);
    EXPECT_EQ(got[i], Load(rounded, DType::kBFloat16)) << "element " << i;
    if (got[i] != Load(rounded, DType::kBFloat16)) break;
  }
  return true;
}

TEST_F(TileSums, EveryGeometryMeetsTheTruth) {
  Random random(1);
  int windows = 0;
  for (int round = 0; round < 400; ++round) {
    Case c;
    const int dims = static_cast<int>(random.Integer(1, 3));
    c.groups = random.Chance(0.2) ? 2 : 1;
    c.batch = random.Integer(1, 4);
    c.x_channels = random.Integer(1, 50);
    c.y_channels = random.Integer(1, 50);
    for (int d = 0; d < dims; ++d) {
      c.in.push_back(random.Integer(1, dims == 3 ? 8 : dims == 2 ? 20 : 150));
      c.kernel.push_back(random.Integer(1, dims == 3 ? 3 : 5));
      c.stride.push_back(random.Integer(1, 2));
      c.dilation.push_back(random.Integer(1, 4));
      c.begin.push_back(random.Integer(0, 6));
      c.end.push_back(random.Integer(0, 6));
    }
    SCOPED_TRACE(::testing::Message()
                 << "round " << round << ": " << ::testing::PrintToString(c.in) << " kernel "
                 << ::testing::PrintToString(c.kernel) << " stride "
                 << ::testing::PrintToString(c.stride) << " dilation "
                 << ::testing::PrintToString(c.dilation) << " padding "
                 << ::testing::PrintToString(c.begin) << ::testing::PrintToString(c.end));
    windows += ExpectTruth(c, random);
    if (HasFailure()) return;
  }
  EXPECT_GT(windows, 250);
}

// More than a unit holds at once: positions, along each dimension, and channels.
TEST_F(TileSums, BlocksAndUnits) {
  Random random(2);
  const std::vector<int64_t> one = {1, 1}, ones = {1, 1, 1}, two = {2, 2}, three = {3, 3};
  ExpectTruth({1, 1, 33, 5, {130, 131}, three, one, one, one, one}, random);
  ExpectTruth({1, 1, 3, 5, {3, 70, 71}, {3, 2, 3}, ones, ones, ones, ones}, random);
  ExpectTruth({2, 1, 20, 3, {20000}, {3}, {1}, {1}, {1}, {1}}, random);
  ExpectTruth({1, 1, 36, 3, {170, 90}, three, two, {1, 30}, one, {1, 31}}, random);
  ExpectTruth({3, 1, 300, 530, {3, 3}, {2, 2}, one, one, {0, 1}, one}, random);
  ExpectTruth({9, 1, 70, 34, {12, 11}, three, one, one, one, one}, random);
  // Strides of any size where there is one window.
  ExpectTruth({2, 1, 33, 34, {3, 9}, {3, 3}, {int64_t{1} << 60, 1}, one, {0, 0}, {0, 0}}, random);
}

TEST_F(TileSums, ThreadsDoNotChangeABit) {
  Random random(3);
  const Case cases[] = {
      {2, 1, 96, 70, {13, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {1, 2, 40, 300, {9, 20}, {2, 3}, {2, 2}, {1, 2}, {0, 2}, {1, 1}},
      {1, 1, 64, 64, {90, 100}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
  };
  for (const Case& c : cases) {
    const Problem problem(c);
    Tensor x(problem.x_shape, DType::kBFloat16), y(problem.y_shape, DType::kBFloat16);
    for (Tensor* tensor : {&x, &y}) {
      for (int64_t i = 0; i < tensor->view.ElementCount(); ++i) tensor->Set(i, random.Real(-1, 1));
    }
    SetTeamSize(1);
    const std::vector<double> one = ResultOf(problem, 1, x, y);
    for (const int threads : {2, 5, 64}) {
      SetTeamSize(threads);
      EXPECT_EQ(ResultOf(problem, threads, x, y), one) << threads;
    }
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
