// NaNs are computed again, and an abort of the stream ends that.

#include "aclimb/ops/convolution_backward/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/test_operands.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {
namespace {

std::atomic<int> answers_left{0};

int CancelsWhenUsedUp() { return answers_left.fetch_sub(1) <= 0 ? 1 : 0; }

class ConvolutionNaNs : public ::testing::TestWithParam<Task> {
 protected:
  void TearDown() override {
    SetCancelQuery(nullptr);
    SetTeamSize(0);
  }

  // Of windows whose first and last planes meet nothing but padding.
  static Operands FilledOperands() {
    const Axis plane = {1, 3, 1, 1, 1, 1};
    Operands operands(GeometryOf(3, 4, 5, {plane, {8, 3, 1, 1, 1, 1}, {9, 3, 1, 1, 1, 1}}), kFloats,
                      0);
    testing::Random random(3);
    operands.Fill(random);
    return operands;
  }
  // The result, every element of which was NaN, when the query has said no so often.
  static std::vector<double> ComputeAgain(Operands& operands, int answers, int threads,
                                          const float* bias = nullptr) {
    const Task task = GetParam();
    const Geometry& g = operands.geometry;
    Tensor& result = task == Task::kForward ? operands.y
                     : task == Task::kGradX ? operands.x
                                            : operands.weight;
    for (int64_t i = 0; i < result.view.ElementCount(); ++i) result.Set(i, std::nan(""));
    std::vector<int64_t> scratch(
        static_cast<size_t>(CeilDivide(ExactScratchBytes(g, task), int64_t{8})) + 1);
    SetTeamSize(threads);
    answers_left = answers;
    SetCancelQuery(&CancelsWhenUsedUp);
    ComputeNaNsAgain(g, task, operands.x.view, operands.y.view, operands.weight.view,
                     scratch.data(), bias);
    SetCancelQuery(nullptr);
    return result.Values();
  }
  static std::vector<double> ComputeAgain(int answers, int threads) {
    Operands operands = FilledOperands();
    const std::vector<double> expected = operands.Truth(GetParam());
    std::vector<double> got = ComputeAgain(operands, answers, threads);
    for (size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(got[i])) continue;
      EXPECT_EQ(got[i], expected[i]) << "element " << i;
    }
    return got;
  }
  static int64_t NaNs(const std::vector<double>& values) {
    return std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  }
};

TEST_P(ConvolutionNaNs, AreComputedAgain) {
  for (const int threads : {1, 3}) EXPECT_EQ(NaNs(ComputeAgain(1 << 30, threads)), 0);
}

TEST_P(ConvolutionNaNs, StayWhereTheWorkIsCancelled) {
  for (const int threads : {1, 3}) {
    const std::vector<double> none = ComputeAgain(0, threads);
    EXPECT_EQ(NaNs(none), static_cast<int64_t>(none.size())) << threads;
  }
  // In the middle of a unit.
  const std::vector<double> some = ComputeAgain(30, 1);
  EXPECT_GT(NaNs(some), 0);
  EXPECT_LT(NaNs(some), static_cast<int64_t>(some.size()));
}

INSTANTIATE_TEST_SUITE_P(All, ConvolutionNaNs,
                         ::testing::Values(Task::kForward, Task::kGradX, Task::kGradWeight));

class ConvolutionNaNsOfBias : public ConvolutionNaNs {};
INSTANTIATE_TEST_SUITE_P(All, ConvolutionNaNsOfBias,
                         ::testing::Values(Task::kForward, Task::kGradX));

TEST_P(ConvolutionNaNsOfBias, StayInItsChannel) {
  Operands operands = FilledOperands();
  const Geometry& g = operands.geometry;
  operands.weight.Set(0, HUGE_VAL);  // which meets only padding
  const int64_t channels = ResultChannels(g, GetParam());
  std::vector<float> biases(static_cast<size_t>(channels), 0.25F);
  biases[1] = std::nanf("");
  biases[2] = HUGE_VALF;
  std::vector<double> expected = operands.Truth(GetParam());
  const int64_t rows = g.batch * channels;
  const auto row = expected.size() / static_cast<size_t>(rows);
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] += static_cast<double>(biases[i / row % biases.size()]);
  }
  for (const int threads : {1, 3}) {
    ExpectRounded(ComputeAgain(operands, 1 << 30, threads, biases.data()), expected,
                  DType::kFloat32);
  }
  // Where each bias is NaN nothing is summed: every sum would ask for a cancellation.
  std::fill(biases.begin(), biases.end(), std::nanf(""));
  EXPECT_EQ(NaNs(ComputeAgain(operands, 1 << 30, 1, biases.data())),
            static_cast<int64_t>(expected.size()));
  EXPECT_LE((1 << 30) - answers_left, rows + 1);
}

}  // namespace
}  // namespace aclimb::convolution_backward
