// The two steps of a batch norm, and of its gradient, by their type names. What stands between the
// steps is what the second one goes by.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/runtime/by_type_request.h"

namespace {

using runtime_test::Dims;
using runtime_test::Numbers;
using runtime_test::Request;
using runtime_test::Values;

class BatchNormByType : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), 0); }
};

TEST_F(BatchNormByType, GoesByWhatIsGiven) {
  const Dims dims = {2, 2, 1, 3};
  const Values x = Numbers(12, 3), grad = Numbers(12, 4), scale = {2, -0.5}, offset = {1, 3};
  constexpr double kEps = 1e-3, kFactor = 0.25;
  Values sums(2), squares(2), mean(2), variance(2), running = {0.5, 1}, running_variance = {2, 3};
  const auto channel = [](size_t n) { return n / 3 % 2; };
  for (size_t n = 0; n < 12; ++n) sums[channel(n)] += x[n];
  for (size_t n = 0; n < 12; ++n) squares[channel(n)] += x[n] * x[n];
  for (size_t c = 0; c < 2; ++c) {
    mean[c] = sums[c] / 6;
    variance[c] = squares[c] / 6 - mean[c] * mean[c];
  }
  Values inferred(12), of_scale(2), of_offset(2);
  const auto normal = [&](size_t n) {
    return (x[n] - mean[channel(n)]) / std::sqrt(variance[channel(n)] + kEps);
  };
  for (size_t n = 0; n < 12; ++n) {
    const size_t c = channel(n);
    inferred[n] =
        scale[c] * (x[n] - running[c]) / std::sqrt(running_variance[c] + kEps) + offset[c];
    of_scale[c] += grad[n] * normal(n);
    of_offset[c] += grad[n];
  }
  const auto epsilon = static_cast<float>(kEps);
  Request("BNTrainingReduce")
      .Input(dims, x)
      .Set("epsilon", epsilon)
      .Output({2}, sums)
      .Output({2}, squares)
      .Run();
  // As the first step gives them, and others, as of more images than x.
  for (const double more : {0.0, 1.5}) {
    Values given(sums), given_squares(squares), given_mean(2), given_variance(2);
    Values moved(2), moved_variance(2), normal_y(12);
    for (size_t c = 0; c < 2; ++c) {
      given[c] += more;
      given_squares[c] += 2 * more;
      given_mean[c] = given[c] / 6;
      given_variance[c] = given_squares[c] / 6 - given_mean[c] * given_mean[c];
      moved[c] = (1 - kFactor) * running[c] + kFactor * given_mean[c];
      moved_variance[c] = (1 - kFactor) * running_variance[c] + kFactor * given_variance[c] * 6 / 5;
    }
    for (size_t n = 0; n < 12; ++n) {
      const size_t c = channel(n);
      normal_y[n] =
          scale[c] * (x[n] - given_mean[c]) / std::sqrt(given_variance[c] + kEps) + offset[c];
    }
    Request("BNTrainingUpdate")
        .Input(dims, x)
        .Input({2}, given)
        .Input({2}, given_squares)
        .Input({2}, scale)
        .Input({2}, offset)
        .Input({2}, running)
        .Input({2}, running_variance)
        .Set("epsilon", epsilon)
        .Set("factor", 0.25f)
        .Output(dims, normal_y)
        .Output({2}, moved)
        .Output({2}, moved_variance)
        .Output({2}, given_mean)
        .Output({2}, given_variance)
        .Run(1e-5);
  }
  Request("BNInfer")
      .Input(dims, x)
      .Input({2}, scale)
      .Input({2}, offset)
      .Input({2}, running)
      .Input({2}, running_variance)
      .Set("epsilon", epsilon)
      .Output(dims, inferred)
      .Run(1e-5);
  Request("BNTrainingUpdateGrad")
      .Input(dims, grad)
      .Input(dims, x)
      .Input({2}, mean)
      .Input({2}, variance)
      .Set("epsilon", epsilon)
      .Output({2}, of_scale)
      .Output({2}, of_offset)
      .Run(1e-5);
  // As the first step gives them, and others.
  for (const double more : {0.0, 0.75}) {
    Values given_scale(of_scale), given_offset(of_offset), of_x(12);
    for (size_t c = 0; c < 2; ++c) {
      given_scale[c] += more;
      given_offset[c] -= 2 * more;
    }
    for (size_t n = 0; n < 12; ++n) {
      const size_t c = channel(n);
      of_x[n] = scale[c] / std::sqrt(variance[c] + kEps) *
                (grad[n] - given_offset[c] / 6 - normal(n) * given_scale[c] / 6);
    }
    Request("BNTrainingReduceGrad")
        .Input(dims, grad)
        .Input(dims, x)
        .Input({2}, given_scale)
        .Input({2}, given_offset)
        .Input({2}, scale)
        .Input({2}, mean)
        .Input({2}, variance)
        .Set("epsilon", epsilon)
        .Output(dims, of_x)
        .Run(1e-5);
  }
  Request("BNTrainingReduceGrad")
      .Input(dims, grad)
      .Input(dims, x)
      .Input({1}, {0})
      .Input({2}, of_offset)
      .Input({2}, scale)
      .Input({2}, mean)
      .Input({2}, variance)
      .Output(dims, Values(12))
      .ExpectRefused("input 2 of the shape [2]");
}

// Squares of FLOAT sums would leave nothing of the variance.
TEST_F(BatchNormByType, KeepsTheVarianceFarFromZero) {
  const Dims dims = {4, 1, 2};
  Values x(8), y(8);
  for (size_t n = 0; n < 8; ++n) x[n] = 4096 + static_cast<double>(n) / 4;
  const double mean = 4096.875, variance = 0.328125;
  for (size_t n = 0; n < 8; ++n) y[n] = (x[n] - mean) / std::sqrt(variance);
  const Values sum = {8 * mean}, squares = {8 * (variance + mean * mean)};
  Request reduce("BNTrainingReduce");
  reduce.Input(dims, x).Output({1}, sum).Output({1}, squares).Run();
  Request("BNTrainingUpdate")
      .Input(dims, x)
      .Input({1}, reduce.Floats(0))
      .Input({1}, reduce.Floats(1))
      .Input({1}, {1})
      .Input({1}, {0})
      .Input({1}, {0})
      .Input({1}, {0})
      .Set("epsilon", 0.0f)
      .Set("factor", 1.0f)
      .Output(dims, y)
      .Output({1}, {mean})
      .Output({1}, {variance * 8 / 7})
      .Output({1}, {mean})
      .Output({1}, {variance})
      .Run(1e-5);
}

// The running statistics of a channel after the second step with the sums of the first.
void ExpectMoved(const Dims& dims, const Values& x, float factor, const Values& y,
                 const Values& running, const Values& batch) {
  Request reduce("BNTrainingReduce");
  const double nan = std::nan("");
  const Values sums = x.empty() ? Values{nan} : Values{0};
  reduce.Input(dims, x).Output({1}, sums).Output({1}, sums);
  reduce.Run(std::numeric_limits<double>::infinity());
  Request("BNTrainingUpdate")
      .Input(dims, x)
      .Input({1}, reduce.Floats(0))
      .Input({1}, reduce.Floats(1))
      .Input({1}, {1})
      .Input({1}, {0})
      .Input({1}, {5})
      .Input({1}, {7})
      .Set("epsilon", 1.0f)
      .Set("factor", factor)
      .Output(dims, y)
      .Output({1}, {running[0]})
      .Output({1}, {running[1]})
      .Output({1}, {batch[0]})
      .Output({1}, {batch[1]})
      .Run(1e-5);
}

TEST_F(BatchNormByType, LeavesTheRunningStatisticsOfAnEmptyBatch) {
  const double nan = std::nan("");
  ExpectMoved({0, 1, 2}, {}, 0.5f, {}, {5, 7}, {nan, nan});
}

TEST_F(BatchNormByType, OneElementHasNoUnbiasedVariance) {
  const double nan = std::nan("");
  for (const float factor : {0.0f, 0.5f}) {
    ExpectMoved({1, 1, 1}, {3}, factor, {0}, {5 - 2 * factor, nan}, {3, 0});
  }
}

// The squares of these are beyond FLOAT, and so is the sum of the last ones.
TEST_F(BatchNormByType, InfiniteSumsKeepTheStatistics) {
  for (const double value : {double{2e19f}, double{2e38f}}) {
    ExpectMoved({2, 1, 1}, {value, value}, 1, {0, 0}, {value, 0}, {value, 0});
  }
}

TEST_F(BatchNormByType, NamesX) {
  Request("BNTrainingReduce")
      .Input({2}, {1, 2})
      .Output({2}, {0, 0})
      .Output({2}, {0, 0})
      .ExpectRefused("input 0 (x) of the shape [N, C, ...]");
  Request("BNTrainingReduceGrad")
      .Input({2}, {1, 2})
      .Input({2}, {1, 2})
      .Input({2}, {1, 2})
      .Input({2}, {1, 2})
      .Input({2}, {1, 2})
      .Input({2}, {1, 2})
      .Input({2}, {1, 2})
      .Output({2}, {0, 0})
      .ExpectRefused("input 1 (x) of the shape [N, C, ...]");
}

}  // namespace
