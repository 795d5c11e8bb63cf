// Sums of many terms in our own kernels. Images and channels that are one in memory make a sum long
// at no cost of memory, and its terms repeat, so that rounding errors do not cancel.

#include "aclimb/ops/convolution_backward/long_sums.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/exact.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/ops/convolution_backward/products/vector_windows.h"
#include "aclimb/ops/convolution_backward/test_fenced_tensor.h"
#include "aclimb/ops/convolution_backward/test_geometry.h"
#include "aclimb/ops/convolution_backward/test_terms.h"
#include "aclimb/ops/convolution_backward/tolerance.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/factors.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

class LongSumsOf : public ::testing::Test {
 protected:
  void TearDown() override { SetTeamSize(0); }
};

// Rows that are all one in memory, of so many elements.
class Repeated {
 public:
  Repeated(DType dtype, int64_t width) : row_({width}, dtype) {}
  Repeated(DType dtype, int64_t width, Random& random) : Repeated(dtype, width) {
    for (int64_t i = 0; i < width; ++i) Set(i, random.Real(0.5, 1.5));
  }
  void Fill(double value) {
    for (int64_t i = 0; i < row_.view.shape[0]; ++i) Set(i, value);
  }
  void Set(int64_t i, double value) { row_.Set(i, value); }
  std::vector<double> Values() const { return row_.Values(); }
  TensorView View(int64_t images, int64_t channels) const {
    TensorView view = row_.view;
    view.rank = 5;
    const int64_t shape[] = {images, channels, 1, 1, row_.view.shape[0]};
    for (int d = 0; d < 5; ++d) {
      view.shape[d] = shape[d];
      view.stride[d] = d == 4 ? 1 : d > 1 ? row_.view.shape[0] : 0;
    }
    return view;
  }

 private:
  Tensor row_;
};

class Scratch {
 public:
  explicit Scratch(int64_t bytes) : memory_(static_cast<size_t>(RoundUp(bytes, 64)), true) {}
  void* data() const { return memory_.data(); }

 private:
  Fenced memory_;
};

void ExpectNear(const std::vector<double>& got, const std::vector<double>& expected, DType dtype) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i] / expected[i], 1, RelativeTolerance(dtype)) << "element " << i;
  }
}

// ---- Over images and pixels

struct WeightCase {
  Geometry geometry;
  DType operand, result;
};

// A convolution of lines with windows of so many elements.
WeightCase Lines(int64_t images, int64_t channels, int64_t width, int64_t taps, DType operand,
                 DType result) {
  Axis line;
  line.in = width;
  line.kernel = taps;
  return {GeometryOf(images, channels, channels, {{}, {}, line}), operand, result};
}

// run(geometry, x, y, weight, threads) must give the truth, and the same bits for any team.
template <typename Run>
void ExpectGradWeight(const WeightCase& c, const Run& run) {
  const Geometry& g = c.geometry;
  Random random(1);
  Repeated x(c.operand, g.in[2], random), y(c.operand, g.out[2], random);
  const std::vector<double> of_x = x.Values(), of_y = y.Values();
  std::vector<double> expected, first;
  for (int64_t i = 0; i < g.y_channels * g.x_channels; ++i) {
    for (size_t tap = 0; tap < static_cast<size_t>(g.kernel[2]); ++tap) {
      double sum = 0;
      for (size_t o = 0; o < of_y.size(); ++o) sum += of_y[o] * of_x[o + tap];
      expected.push_back(static_cast<double>(g.batch) * sum);
    }
  }
  for (const int threads : {1, 3}) {
    SetTeamSize(threads);
    const Tensor weight({g.y_channels, g.x_channels, 1, 1, g.kernel[2]}, c.result);
    run(g, x.View(g.batch, g.x_channels), y.View(g.batch, g.y_channels), weight.view, threads);
    const std::vector<double> got = weight.Values();
    ASSERT_NO_FATAL_FAILURE(ExpectNear(got, expected, c.result)) << threads << " threads";
    if (threads == 1) first = got;
    EXPECT_EQ(BitsOf(got), BitsOf(first)) << threads << " threads";
  }
}

constexpr DType kFloat = DType::kFloat32, kBFloat = DType::kBFloat16;

auto OnVectors(Factors factors) {
  return [factors](const Geometry& g, const TensorView& x, const TensorView& y,
                   const TensorView& weight, int threads) {
    const VectorWindows windows = PlanVectorWindows(g, threads, factors);
    RunWindows(windows, x, y, weight, Scratch(windows.ScratchBytes()).data());
  };
}

TEST_F(LongSumsOf, WindowsOnVectors) {
  constexpr int64_t kTerms = 5 << 20;
  for (const int64_t taps : {1, 2}) {
    const auto lines = [&](int64_t terms, DType operand) {
      return Lines(terms / 1024, 2, 1023 + taps, taps, operand, kFloat);
    };
    // Blocks of an image.
    EachTarget([&] { ExpectGradWeight(lines(kTerms, kFloat), OnVectors(Factors::kFloat32)); });
    if (HasPairs()) ExpectGradWeight(lines(2 * kTerms, kBFloat), OnVectors(Factors::kPairs));
  }
  // Blocks of several images.
  ExpectGradWeight(Lines(kTerms / 32, 2, 32, 1, kFloat, kFloat), OnVectors(Factors::kFloat32));
}

// ---- Our direct kernels

void Direct(const Geometry& g, Task task, const TensorView& x, const TensorView& y,
            const TensorView& weight, int threads = 1, Factors factors = Factors::kFloat32) {
  const DirectPlan plan = PlanDirect(g, task, threads, factors);
  RunDirect(plan, x, y, weight, Scratch(plan.ScratchBytes()).data());
  ComputeNaNsAgain(g, task, x, y, weight, Scratch(ExactScratchBytes(g, task)).data());
}

TEST_F(LongSumsOf, DirectDotProducts) {
  // The second tap is far away: that makes a plane as long as they get.
  Axis line;
  line.in = 60000;
  line.kernel = 2;
  line.dilation = 16000;
  const Geometry g = GeometryOf(1, 1, 1, {{}, {}, line});
  constexpr int64_t kShortest = 4;  // lanes of a vector
  const double term = WorstTerm(g.out[2] / kShortest);
  Repeated x(kFloat, g.in[2]), y(kFloat, g.out[2]);
  x.Fill(1);
  y.Fill(term);
  const double expected = static_cast<double>(g.out[2]) * y.Values()[0];
  EachTarget([&] {
    const Tensor weight({1, 1, 1, 1, 2}, kFloat);
    Direct(g, Task::kGradWeight, x.View(1, 1), y.View(1, 1), weight.view);
    ExpectNear(weight.Values(), {expected, expected}, kFloat);
  });
}

// The pixel in the middle of a line, with any team, of sums of `terms` terms of one.
void ExpectPixel(const Geometry& g, Task task, DType operand, Factors factors, int64_t terms) {
  const bool forward = task == Task::kForward;
  Repeated source(operand, forward ? g.in[2] : g.out[2]), weights(operand, g.kernel[2]);
  source.Fill(WorstTerm(terms));
  weights.Fill(1);
  const TensorView weight = weights.View(g.y_channels, g.x_channels);
  const double expected = static_cast<double>(terms) * source.Values()[0];
  std::vector<double> first;
  for (const int threads : {1, 3}) {
    SetTeamSize(threads);
    const Tensor result(
        {g.batch, forward ? g.y_channels : g.x_channels, 1, 1, forward ? g.out[2] : g.in[2]},
        kFloat);
    const TensorView of_source = source.View(g.batch, forward ? g.x_channels : g.y_channels);
    Direct(g, task, forward ? of_source : result.view, forward ? result.view : of_source, weight,
           threads, factors);
    const std::vector<double> got = result.Values();
    ASSERT_NEAR(got[got.size() / 2] / expected, 1, RelativeTolerance(kFloat)) << terms << " terms";
    if (threads == 1) first = got;
    EXPECT_EQ(BitsOf(got), BitsOf(first)) << threads << " threads";
  }
}

TEST_F(LongSumsOf, DirectChannelsAndTaps) {
  struct Case {
    int64_t channels, taps;  // that are summed
  };
  // Many channels, more than are packed at once; windows longer than a block.
  for (const Case& c : {Case{50000, 3}, {1001, 100}, {1, 10001}}) {
    const auto expect = [&](DType operand, Factors factors) {
      Axis line;
      line.kernel = c.taps;
      line.in = 2 * c.taps + 39;  // the middle meets every tap
      ExpectPixel(GeometryOf(1, 1, c.channels, {{}, {}, line}), Task::kGradX, operand, factors,
                  c.channels * c.taps);
      line.in = c.taps + 39;
      ExpectPixel(GeometryOf(1, c.channels, 1, {{}, {}, line}), Task::kForward, operand, factors,
                  c.channels * c.taps);
    };
    EachTarget([&] { expect(kFloat, Factors::kFloat32); });
    if (HasPairs()) expect(kBFloat, Factors::kPairs);
  }
}

// ---- What is computed anew because zeros were multiplied

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_F(LongSumsOf, RepairedWeights) {
  // The first window has an infinite gradient; its first tap meets nothing but padding.
  Axis line;
  line.in = 1 << 18;
  line.kernel = 3;
  line.begin = line.end = 1;
  const Geometry g = GeometryOf(1, 1, 1, {{}, {}, line});
  Repeated x(kFloat, g.in[2]), y(kFloat, g.out[2]);
  const int64_t terms = g.out[2] - 1;
  x.Fill(1);
  y.Fill(WorstTerm(terms / 16));
  const double expected = static_cast<double>(terms) * y.Values()[0];
  y.Set(0, kInfinity);
  EachTarget([&] {
    const Tensor weight({1, 1, 1, 1, 3}, kFloat);
    Direct(g, Task::kGradWeight, x.View(1, 1), y.View(1, 1), weight.view);
    ExpectNear({weight.Values()[0]}, {expected}, kFloat);
  });
}

TEST_F(LongSumsOf, RepairedPixels) {
  // The last pixels of a line meet no window with the first tap, whose weight is infinite.
  constexpr int64_t kChannels = 20001, kPixels = 32, kGap = 8;
  Axis line;
  line.in = kPixels;
  line.kernel = 3;
  line.dilation = line.begin = line.end = kGap;
  const Geometry g = GeometryOf(1, 1, kChannels, {{}, {}, line});
  Repeated y(kFloat, g.out[2]), weights(kFloat, 3);
  y.Fill(WorstTerm(2 * kChannels));
  weights.Fill(1);
  weights.Set(0, kInfinity);
  const double expected = 2 * static_cast<double>(kChannels) * y.Values()[0];
  EachTarget([&] {
    const Tensor x({1, 1, 1, 1, kPixels}, kFloat);
    Direct(g, Task::kGradX, x.view, y.View(1, kChannels), weights.View(kChannels, 1));
    const std::vector<double> got = x.Values();
    ExpectNear({got.end() - kGap, got.end()}, std::vector<double>(kGap, expected), kFloat);
  });
}

}  // namespace
}  // namespace aclimb::convolution_backward
