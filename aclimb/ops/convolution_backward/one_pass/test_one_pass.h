#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/test_dtypes.h"
#include "aclimb/ops/convolution_backward/test_fenced_tensor.h"
#include "aclimb/ops/convolution_backward/test_geometry.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

// Tests of what computes both gradients in one pass. A Pass has kFits, kPlan and kRun.
namespace aclimb::convolution_backward {

inline Tensor ImagesLike(const Geometry& g, int64_t channels, const int64_t (&extents)[kDims],
                         DType dtype, int64_t gap) {
  return Tensor({g.batch, g.groups * channels, extents[0], extents[1], extents[2]}, dtype, gap);
}

// With `turned` windows, whose lines and columns have changed places in memory.
inline Tensor WeightLike(const Geometry& g, DType dtype, int64_t gap, bool turned) {
  const int lines = turned ? 2 : 1, columns = 3 - lines;
  Tensor weight(
      {g.groups * g.y_channels, g.x_channels, g.kernel[0], g.kernel[lines], g.kernel[columns]},
      dtype, gap);
  if (turned) {
    std::swap(weight.view.shape[3], weight.view.shape[4]);
    std::swap(weight.view.stride[3], weight.view.stride[4]);
  }
  return weight;
}

struct Operands {
  Operands(const Geometry& g, const DTypes& of, int64_t gap, bool turns = false)
      : geometry(g),
        dtypes(of),
        turned(turns),
        x(ImagesLike(g, g.x_channels, g.in, of.x, gap)),
        y(ImagesLike(g, g.y_channels, g.out, of.y, gap)),
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

template <typename Pass>
Gradients GradientsOf(const Operands& operands, bool gives_x, bool gives_weight, int threads) {
  const Geometry& g = operands.geometry;
  const auto plan = Pass::kPlan(g, gives_x, gives_weight, threads);
  const Tensor grad_x = ImagesLike(g, g.x_channels, g.in, operands.dtypes.x, 3);
  const Tensor grad_weight = WeightLike(g, operands.dtypes.weight, 3, operands.turned);
  const auto bytes = static_cast<size_t>(plan.ScratchBytes());
  Fenced scratch(RoundUp(bytes, size_t{64}), true);
  std::memset(scratch.data(), 0xFF, bytes);  // NaN
  const TensorView none;
  const TensorView& weight = operands.weight.view;
  Tensor floats({weight.shape, weight.shape + weight.rank}, DType::kFloat32);
  int64_t index = 0;
  for (const double value : operands.weight.Values()) floats.Set(index++, value);
  Pass::kRun(
      plan, {gives_weight ? operands.x.view : none, operands.y.view, gives_x ? floats.view : none},
      {gives_x ? grad_x.view : none, none, gives_weight ? grad_weight.view : none}, scratch.data());
  Gradients gradients;
  if (gives_x) gradients.x = grad_x.Values();
  if (gives_weight) gradients.weight = grad_weight.Values();
  EXPECT_TRUE(grad_x.GapsAreUntouched() && grad_weight.GapsAreUntouched());
  return gradients;
}

inline void ExpectEach(const std::vector<double>& got, const std::vector<double>& right,
                       DType dtype) {
  ASSERT_EQ(got.size(), right.size());
  // Sums of sixteenths are exact in float32: only the result is rounded, to nearest even.
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], Rounded(right[i], dtype)) << "element " << i;
  }
}

// On vectors of every kind that this processor has.
template <typename Pass>
void ExpectTruth(const Geometry& geometry, const DTypes& dtypes, int threads,
                 testing::Random& random) {
  ASSERT_TRUE(Pass::kFits(geometry)) << Text(geometry);
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
      const Gradients got = GradientsOf<Pass>(operands, gives_x, gives_weight, threads);
      if (gives_x) ExpectEach(got.x, grad_x, dtypes.x);
      if (gives_weight) ExpectEach(got.weight, grad_weight, dtypes.weight);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
  EXPECT_GT(targets, 0);
}

// With some number of threads.
template <typename Pass>
void ExpectTruth(const Geometry& geometry, const DTypes& dtypes, testing::Random& random) {
  const int threads = random.Chance(0.5) ? 1 : static_cast<int>(random.Integer(2, 7));
  ExpectTruth<Pass>(geometry, dtypes, threads, random);
}

// With any number of threads.
template <typename Pass>
void ExpectSameBits(const Geometry& geometry, testing::Random& random) {
  Operands operands(geometry, kFloats, 0);
  for (Tensor* tensor : {&operands.x, &operands.y, &operands.weight}) {
    for (int64_t i = 0; i < tensor->view.ElementCount(); ++i) tensor->Set(i, random.Real(-1, 1));
  }
  SetTeamSize(1);
  const Gradients one = GradientsOf<Pass>(operands, true, true, 1);
  for (const int threads : {2, 5, 64}) {
    SetTeamSize(threads);
    const Gradients many = GradientsOf<Pass>(operands, true, true, threads);
    EXPECT_EQ(BitsOf(many.x), BitsOf(one.x)) << threads;
    EXPECT_EQ(BitsOf(many.weight), BitsOf(one.weight)) << threads;
  }
}

// Sums over all images of equal terms, whose errors do not cancel, on vectors of every kind.
template <typename Pass>
void ExpectAccurateSums(const Geometry& geometry, double tolerance) {
  Operands operands(geometry, kFloats, 0);
  for (Tensor* tensor : {&operands.x, &operands.y}) {
    std::fill_n(tensor->view.As<float>(), tensor->view.ElementCount(), 0.1f);
  }
  const double term = static_cast<double>(0.1f) * static_cast<double>(0.1f);
  const double all = static_cast<double>(geometry.batch * geometry.OutSize());
  const auto taps = static_cast<size_t>(geometry.KernelSize());
  const int targets = EachTarget([&] {
    const Gradients got = GradientsOf<Pass>(operands, false, true, 1);
    // The tap in the middle meets every element.
    for (size_t i = taps / 2; i < got.weight.size(); i += taps) {
      ASSERT_NEAR(got.weight[i] / (all * term), 1, tolerance) << i << " of " << Text(geometry);
    }
  });
  EXPECT_GT(targets, 0);
}

}  // namespace aclimb::convolution_backward
