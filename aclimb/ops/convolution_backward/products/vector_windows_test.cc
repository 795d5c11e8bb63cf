// Our own sums over windows on vectors of every kind that this processor has, against the
// definition.

#include "aclimb/ops/convolution_backward/products/vector_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/test_operands.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/factors.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

class WindowsOnVectors : public ::testing::Test {
 protected:
  void TearDown() override { SetTeamSize(0); }
};

// Planes are side by side but for gaps behind each, and behind each row of them.
Tensor Planes(int64_t rows, int64_t channels, const int64_t (&extents)[kDims], DType dtype,
              int64_t plane_gap, int64_t row_gap) {
  const int64_t plane = extents[0] * extents[1] * extents[2] + plane_gap;
  Tensor tensor({rows, channels * plane + row_gap}, dtype);
  TensorView& view = tensor.view;
  view.rank = 2 + kDims;
  view.shape[1] = channels;
  view.stride[1] = plane;
  int64_t stride = 1;
  for (int d = kDims - 1; d >= 0; --d) {
    view.shape[2 + d] = extents[d];
    view.stride[2 + d] = stride;
    stride *= extents[d];
  }
  return tensor;
}

constexpr DTypes kHalves = {DType::kFloat16, DType::kFloat16, DType::kFloat16};
constexpr DTypes kBFloats = {DType::kBFloat16, DType::kBFloat16, DType::kBFloat16};

struct Planar {
  Planar(const Geometry& g, const DTypes& dtypes, int64_t gap)
      : geometry(g),
        x(Planes(g.batch, g.groups * g.x_channels, g.in, dtypes.x, gap, 0)),
        y(Planes(g.batch, g.groups * g.y_channels, g.out, dtypes.y, gap, 0)),
        dtype(dtypes.weight) {}

  Tensor Result() const {
    const Geometry& g = geometry;
    return Planes(g.groups * g.y_channels, g.x_channels, g.kernel, dtype, 0, 3);
  }
  template <typename Draw>
  void Fill(const Draw& draw) {
    for (Tensor* tensor : {&x, &y}) {
      for (int64_t i = 0; i < tensor->view.ElementCount(); ++i) tensor->Set(i, draw());
    }
  }
  Geometry geometry;
  Tensor x, y;
  DType dtype;  // of the weight
};

std::vector<double> ResultOf(const Planar& operands, int threads,
                             Factors factors = Factors::kFloat32) {
  const VectorWindows windows = PlanVectorWindows(operands.geometry, threads, factors);
  const Tensor result = operands.Result();
  const auto bytes = static_cast<size_t>(windows.ScratchBytes());
  Fenced scratch(RoundUp(bytes, size_t{64}), true);
  std::memset(scratch.data(), 0xFF, bytes);  // NaN
  RunWindows(windows, operands.x.view, operands.y.view, result.view, scratch.data());
  EXPECT_TRUE(result.GapsAreUntouched());
  return result.Values();
}

std::vector<double> Expected(const Planar& operands) {
  const Geometry& g = operands.geometry;
  const int64_t weights = g.groups * g.y_channels * g.x_channels * g.KernelSize();
  return TruthOf(g, Task::kGradWeight, operands.x.Values(), operands.y.Values(),
                 std::vector<double>(static_cast<size_t>(weights)));
}

void ExpectTruth(const Geometry& geometry, const DTypes& dtypes, Random& random) {
  const int64_t gap = random.Integer(0, 2);
  const int threads = random.Chance(0.5) ? 1 : static_cast<int>(random.Integer(2, 7));
  SetTeamSize(threads);
  Planar operands(geometry, dtypes, gap);
  for (Tensor* tensor : {&operands.x, &operands.y}) tensor->Fill(random);
  // Once for all targets: it takes most of the time.
  const std::vector<double> expected = Expected(operands);
  SCOPED_TRACE(::testing::Message()
               << Text(geometry) << "; gap " << gap << ", " << threads << " threads, "
               << NameOf(dtypes.x) << " " << NameOf(dtypes.y) << " " << NameOf(dtypes.weight));
  const int targets =
      EachTarget([&] { ExpectRounded(ResultOf(operands, threads), expected, dtypes.weight); });
  EXPECT_GT(targets, 0);
}

void ExpectTruthOfPairs(const Geometry& geometry, Random& random) {
  if (!HasPairs()) return;
  SetTeamSize(static_cast<int>(random.Integer(1, 3)));
  Planar operands(geometry, kBFloats, random.Integer(0, 2));
  for (Tensor* tensor : {&operands.x, &operands.y}) tensor->Fill(random);
  SCOPED_TRACE(Text(geometry));
  ExpectRounded(ResultOf(operands, TeamSize(), Factors::kPairs), Expected(operands),
                DType::kBFloat16);
}

Axis AnyAxis(Random& random, int64_t most) {
  Axis axis;
  axis.kernel = random.Integer(1, 4);
  axis.stride = random.Integer(1, 3);
  axis.dilation = random.Integer(1, 3);
  axis.begin = random.Integer(0, 3);
  axis.end = random.Integer(0, 3);
  const int64_t reach = axis.dilation * (axis.kernel - 1) + 1;
  axis.in = std::max<int64_t>(1, reach - axis.begin - axis.end) + random.Integer(0, most);
  return axis;
}

std::vector<Geometry> AllGeometries(Random& random) {
  const Axis none, three = {14, 3, 1, 1, 1, 1};
  std::vector<Geometry> all = {
      GeometryOf(1, 1, 1, {none, none, none}),
      GeometryOf(2, 24, 40, {none, {30, 3, 1, 1, 1, 1}, {30, 3, 1, 1, 1, 1}}),  // read in place
      GeometryOf(9, 20, 17, {none, {7, 3, 1, 1, 1, 1}, {7, 3, 1, 1, 1, 1}}),    // images together
      GeometryOf(2, 300, 20, {none, {5, 3, 1, 1, 1, 1}, {6, 3, 1, 1, 1, 1}}),   // many channels
      GeometryOf(2, 20, 530, {none, three, {3, 3, 1, 1, 1, 1}}),
      GeometryOf(1, 9, 10, {none, none, {1500, 5, 1, 1, 2, 2}}),  // a line in blocks
      GeometryOf(2, 9, 10, {none, none, {1301, 3, 2, 1, 0, 0}}),
      GeometryOf(1, 16, 8, {none, {33, 3, 1, 12, 12, 12}, {33, 3, 1, 12, 12, 12}}),
      GeometryOf(2, 8, 16, {{4, 3, 1, 1, 1, 1}, {6, 3, 1, 1, 1, 1}, {26, 3, 1, 1, 1, 1}}),
      // Blocks of lines that are the last of a plane and the first of the next.
      GeometryOf(1, 16, 16, {{6, 3}, {7, 3}, {202, 3}}),
      GeometryOf(1, 16, 16, {{4, 3, 1, 1, 2, 2}, {5, 3, 1, 1, 2, 2}, {200, 3, 1, 1, 2, 2}}),
      GeometryOf(1, 16, 16, {{7, 2, 2, 3, 2, 1}, {9, 3, 2, 1, 0, 0}, {130, 2, 1, 2, 0, 0}}),
      GeometryOf(2, 20, 24, {none, {300, 3, 1, 1, 1, 1}, none}),  // one dimension, not the last
      GeometryOf(2, 9, 8, {{90, 4, 2, 2, 3, 2}, none, none}),
      GeometryOf(2, 9, 8, {none, {9, 1, 3, 1, 0, 0}, {9, 2, 3, 1, 0, 0}}),    // elements between
      GeometryOf(1, 5, 6, {none, {1, 11, 1, 1, 5, 5}, {2, 11, 1, 1, 5, 5}}),  // mostly padding
      // Lines that are no whole pairs, of several images, in blocks, and with steps.
      GeometryOf(5, 9, 8, {none, {5, 3, 1, 1, 1, 1}, {7, 3, 1, 1, 1, 1}}),
      GeometryOf(3, 9, 8, {none, {6, 3, 1, 2, 2, 2}, {15, 3, 1, 2, 2, 2}}),
      GeometryOf(2, 9, 8, {none, {3, 2}, {1031, 4, 1, 1, 2, 1}}),
      GeometryOf(2, 9, 8, {none, {9, 3, 3, 1, 1, 1}, {40, 5, 3, 1, 2, 2}}),
      GeometryOf(2, 9, 8, {none, {9, 3, 4, 1, 1, 1}, {41, 5, 4, 1, 2, 2}}),
  };
  // Windows of one element, of more input channels and of fewer.
  for (const int64_t pixels : {1, 9, 90, 1100}) {
    all.push_back(GeometryOf(3, 37, 70, {none, none, {pixels}}));
    all.push_back(GeometryOf(2, 90, 21, {none, {2}, {pixels}}));
  }
  for (int i = 0; i < 60; ++i) {
    all.push_back(GeometryOf(random.Integer(1, 4), random.Integer(1, 60), random.Integer(1, 60),
                             {random.Chance(0.3) ? AnyAxis(random, 3) : none,
                              random.Chance(0.7) ? AnyAxis(random, 12) : none,
                              AnyAxis(random, random.Chance(0.5) ? 9 : 60)}));
    if (random.Chance(0.3)) all.back().groups = random.Integer(2, 4);
  }
  return all;
}

TEST_F(WindowsOnVectors, MeetTheTruth) {
  Random random(6);
  for (const Geometry& geometry : AllGeometries(random)) {
    ExpectTruth(geometry, SomeDTypes(random), random);
    ExpectTruthOfPairs(geometry, random);
    if (HasFatalFailure()) return;
  }
}

TEST_F(WindowsOnVectors, ThreadsDoNotChangeABit) {
  Random random(7);
  const Axis none, wide = {56, 3, 1, 1, 1, 1}, narrow = {7, 3, 2, 1, 1, 1},
                   deep = {3, 2, 1, 1, 0, 1};
  Geometry groups = GeometryOf(16, 40, 36, {none, {7, 3, 1, 1, 1, 1}, {7, 3, 1, 1, 1, 1}});
  groups.groups = 2;
  for (const Geometry& geometry :
       {GeometryOf(2, 40, 50, {none, wide, wide}), GeometryOf(9, 300, 280, {none, narrow, narrow}),
        GeometryOf(1, 20, 20, {none, none, {1700, 5, 1, 1, 2, 2}}),
        GeometryOf(2, 20, 24, {deep, narrow, wide}), groups}) {
    const auto expect_one = [&](const DTypes& dtypes, Factors factors) {
      Planar operands(geometry, dtypes, 0);
      operands.Fill([&] { return random.Real(-1, 1); });
      // Zeros beside the image meet this one, or do not.
      operands.y.Set(3, std::numeric_limits<double>::infinity());
      const auto bits = [&](int threads) {
        SetTeamSize(threads);
        return BitsOf(ResultOf(operands, threads, factors));
      };
      const std::vector<uint64_t> one = bits(1);
      for (const int threads : {2, 5, 64}) EXPECT_EQ(bits(threads), one) << threads;
    };
    expect_one(random.Chance(0.5) ? kFloats : kHalves, Factors::kFloat32);
    if (HasPairs()) expect_one(kBFloats, Factors::kPairs);
  }
}

// Without padding nothing is looked at afterwards: what fills up blocks is summed beside the
// results.
void ExpectSpecialValuesInPlace(const Geometry& geometry, const DTypes& dtypes, Factors factors) {
  const double kInfinity = std::numeric_limits<double>::infinity();
  for (const double special : {kInfinity, std::nan("")}) {
    for (const bool in_x : {false, true}) {
      Planar operands(geometry, dtypes, 1);
      operands.Fill([] { return 1; });
      Tensor& touched = in_x ? operands.x : operands.y;
      touched.Set(touched.view.ElementCount() - 1, special);
      ExpectRounded(ResultOf(operands, 1, factors), Expected(operands), dtypes.weight);
    }
  }
}

// One special value at `at` of x or of y, among ones; gaps between channels hold NaNs.
void ExpectOneInfinityOfPairs(const Geometry& geometry, bool in_x, int64_t at, int64_t gap) {
  SCOPED_TRACE(::testing::Message()
               << Text(geometry) << (in_x ? "; x" : "; y") << " at " << at << ", gap " << gap);
  Planar operands(geometry, kBFloats, gap);
  operands.Fill([] { return 1; });
  (in_x ? operands.x : operands.y).Set(at, std::numeric_limits<double>::infinity());
  ExpectRounded(ResultOf(operands, 1, Factors::kPairs), Expected(operands), DType::kBFloat16);
}

// A pair whose second pixel does not exist: what stands behind the row is another channel's.
TEST_F(WindowsOnVectors, TheOddPixelOfALastPairMeetsNothing) {
  if (!HasPairs()) GTEST_SKIP() << "This processor has no products of pairs.";
  const Axis none;
  const Geometry geometries[] = {
      GeometryOf(2, 11, 9, {none, none, {25}}),  // long enough to be read in place, were it even
      GeometryOf(2, 9, 11, {none, none, {1031}}),
      GeometryOf(3, 9, 10, {none, none, {7}}),
      GeometryOf(2, 9, 10, {none, {2}, {513}}),
      GeometryOf(2, 9, 10, {none, {5, 3}, {27, 3}}),
      GeometryOf(2, 9, 10, {none, {5, 2}, {28, 2}}),  // odd lines of y alone
      GeometryOf(2, 9, 10, {none, {5, 1, 2}, {29, 1, 2}}),
  };
  for (const Geometry& geometry : geometries) {
    for (const bool in_x : {false, true}) {
      const int64_t pixels = in_x ? geometry.InSize() : geometry.OutSize();
      // Where a channel begins, and where the one before it ends; 0 is of the first channel.
      for (const int64_t at : {int64_t{0}, pixels - 1, pixels, 2 * pixels - 1, 2 * pixels}) {
        for (const int64_t gap : {0, 1}) {
          ExpectOneInfinityOfPairs(geometry, in_x, at, gap);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(WindowsOnVectors, SpecialValuesStayWhereTheyBelong) {
  const Axis none, long_rows = {40, 3}, short_rows = {7, 3};
  const Geometry geometries[] = {GeometryOf(2, 21, 19, {none, short_rows, long_rows}),
                                 GeometryOf(3, 19, 21, {none, short_rows, short_rows})};
  for (const Geometry& geometry : geometries) {
    EachTarget([&] { ExpectSpecialValuesInPlace(geometry, kFloats, Factors::kFloat32); });
    if (HasPairs()) {
      ExpectSpecialValuesInPlace(geometry, kBFloats, Factors::kPairs);
    }
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
