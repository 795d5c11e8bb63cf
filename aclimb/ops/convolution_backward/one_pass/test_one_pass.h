#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/test_operands.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"

// Tests of what computes both gradients in one pass. A Pass has kFits, kPlan and kRun.
namespace aclimb::convolution_backward {

struct Gradients {
  std::vector<double> x, weight;  // empty: not wanted
};

template <typename Pass>
Gradients GradientsOf(const Operands& operands, bool gives_x, bool gives_weight, int threads) {
  const Geometry& g = operands.geometry;
  const auto plan = Pass::kPlan(g, gives_x, gives_weight, threads);
  const Tensor grad_x = operands.Result(Task::kGradX, operands.dtypes.x, 3);
  const Tensor grad_weight = operands.Result(Task::kGradWeight, operands.dtypes.weight, 3);
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

// On vectors of every kind that this processor has.
template <typename Pass>
void ExpectTruth(const Geometry& geometry, const DTypes& dtypes, int threads,
                 testing::Random& random) {
  ASSERT_TRUE(Pass::kFits(geometry)) << Text(geometry);
  SetTeamSize(threads);
  Operands operands(geometry, dtypes, random.Integer(0, 2), random.Chance(0.3));
  operands.Fill(random);
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
      if (gives_x) ExpectRounded(got.x, grad_x, dtypes.x);
      if (gives_weight) ExpectRounded(got.weight, grad_weight, dtypes.weight);
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
