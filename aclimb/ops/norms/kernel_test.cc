// The kernels on every instruction set and with any team: rows and planes longer than a chunk, sums
// of many blocks, numbers far from zero.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/core/half.h"
#include "aclimb/ops/norms/channel_gradients_truth.h"
#include "aclimb/ops/norms/channels.h"
#include "aclimb/ops/norms/normalize.h"
#include "aclimb/ops/norms/row_gradient.h"
#include "aclimb/ops/norms/row_truth.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::norms {
namespace {

using Floats = std::vector<float>;

// Numbers of [-4, 4) that every dtype has.
Floats Numbers(int64_t count, uint32_t seed) {
  Floats numbers;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers.push_back(static_cast<float>(static_cast<int>(seed >> 24) - 128) / 32);
  }
  return numbers;
}
// Away from zero, as divisors are.
Floats Positive(int64_t count, uint32_t seed) {
  Floats numbers = Numbers(count, seed);
  for (float& number : numbers) number = std::fabs(number) + 0.5f;
  return numbers;
}

std::vector<double> Wide(const Floats& numbers) { return {numbers.begin(), numbers.end()}; }

std::vector<char> Stored(const Floats& numbers, DType dtype) {
  std::vector<char> bytes(numbers.size() * SizeOf(dtype));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint16_t half =
        dtype == DType::kFloat16 ? ToFloat16(numbers[i]).bits : ToBFloat16(numbers[i]).bits;
    if (dtype == DType::kFloat32) {
      std::memcpy(&bytes[i * 4], &numbers[i], 4);
    } else {
      std::memcpy(&bytes[i * 2], &half, 2);
    }
  }
  return bytes;
}

void ExpectNear(const Floats& got, const Results& expected, const char* what) {
  ASSERT_EQ(got.size(), expected.values.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const double allowed = expected.errors[i] + 1e-7 * std::fabs(expected.values[i]) + 1e-30;
    ASSERT_NEAR(got[i], expected.values[i], allowed) << what << ' ' << i;
  }
}

Floats Poisoned(int64_t count) { return Floats(static_cast<size_t>(count), -77.0f); }

// Runs body() on every instruction set, and with teams of one and three, which have to agree.
template <typename Body>
void OnEveryTarget(const Body& body) {
  EachTarget([&] {
    SetTeamSize(1);
    const Floats one = body();
    SetTeamSize(3);
    const Floats three = body();
    SetTeamSize(0);
    ASSERT_EQ(one.size(), three.size());
    EXPECT_EQ(std::memcmp(one.data(), three.data(), one.size() * sizeof(float)), 0)
        << "the team moves bits";
  });
}

constexpr DType kDTypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

// ---- Rows one after the other

struct RowShape {
  int64_t rows, length, run, sets;
};
constexpr RowShape kRowShapes[] = {{3, 1, 1, 1},    {5, 7, 1, 1},        {2, 8192, 1, 1},
                                   {2, 9000, 1, 1}, {300, 130, 1, 1},    {6, 60, 10, 3},
                                   {4, 6, 1, 2},    {2, 20000, 10000, 2}};

TEST(NormsKernel, Normalize) {
  for (const RowShape& shape : kRowShapes) {
    const int64_t count = shape.rows * shape.length;
    const int64_t weights = shape.sets * (shape.length / shape.run);
    const Floats x = Numbers(count, 1), weight = Numbers(weights, 2), bias = Numbers(weights, 3);
    RowMap map = DenseRows(shape.rows, shape.length);
    map.sets = shape.sets;
    map.set_step = shape.length / shape.run;
    map.weight_run = shape.run;
    for (int variant = 0; variant < 8; ++variant) {
      const bool centered = variant < 4, weighted = variant % 2 == 0, biased = variant / 2 % 2 == 0;
      SCOPED_TRACE(::testing::Message() << shape.rows << "x" << shape.length << " run " << shape.run
                                        << " variant " << variant);
      const Normalized expected =
          NormalizedRows(map, Wide(x), weighted ? Wide(weight) : std::vector<double>(),
                         biased ? Wide(bias) : std::vector<double>(), 1e-5, centered);
      const DType dtype = kDTypes[variant % 3];
      const std::vector<char> stored = Stored(x, dtype);
      OnEveryTarget([&] {
        Floats out = Poisoned(count), mean = Poisoned(shape.rows), rstd = Poisoned(shape.rows);
        EXPECT_TRUE(Normalize({.rows = shape.rows,
                               .length = shape.length,
                               .x = stored.data(),
                               .x_dtype = dtype,
                               .weight = weighted ? weight.data() : nullptr,
                               .bias = biased ? bias.data() : nullptr,
                               .run = shape.run,
                               .sets = shape.sets,
                               .eps = 1e-5,
                               .centered = centered,
                               .out = out.data(),
                               .mean = mean.data(),
                               .rstd = rstd.data()}));
        ExpectNear(out, expected.out, "out");
        ExpectNear(mean, expected.mean, "mean");
        ExpectNear(rstd, expected.rstd, "rstd");
        return out;
      });
    }
  }
}

TEST(NormsKernel, SumsAreNormalized) {
  for (const int64_t length : {7, 9000}) {
    const int64_t rows = 3, count = rows * length;
    const Floats x = Numbers(count, 1), x2 = Numbers(count, 2), addend = Numbers(length, 3);
    Floats sums;
    for (size_t i = 0; i < x.size(); ++i) {
      sums.push_back(x[i] + x2[i] + addend[i % addend.size()]);
    }
    const Normalized expected = NormalizedRows(DenseRows(rows, length), Wide(sums), {}, {}, 1e-5);
    const std::vector<char> first = Stored(x, DType::kBFloat16);
    OnEveryTarget([&] {
      Floats out = Poisoned(count), sum = Poisoned(count);
      EXPECT_TRUE(Normalize({.rows = rows,
                             .length = length,
                             .x = first.data(),
                             .x_dtype = DType::kBFloat16,
                             .x2 = x2.data(),
                             .addend = addend.data(),
                             .eps = 1e-5,
                             .sum = sum.data(),
                             .out = out.data()}));
      ExpectNear(out, expected.out, "out");
      EXPECT_EQ(sum, sums);
      return out;
    });
  }
}

// The squares of numbers about 10000 lose what makes their variance.
TEST(NormsKernel, VarianceFarFromZero) {
  const int64_t length = 5000;
  Floats x = Numbers(length, 1);
  for (float& value : x) value = value / 64 + 10000;
  const Normalized expected = NormalizedRows(DenseRows(1, length), Wide(x), {}, {}, 0);
  EachTarget([&] {
    Floats out = Poisoned(length), rstd = Poisoned(1);
    EXPECT_TRUE(Normalize(
        {.rows = 1, .length = length, .x = x.data(), .out = out.data(), .rstd = rstd.data()}));
    EXPECT_NEAR(rstd[0], expected.rstd.values[0], 1e-5 * expected.rstd.values[0]);

    Floats batch = Poisoned(length), invstd = Poisoned(1);
    const Planes planes = {.outer = length};
    std::vector<char> scratch(static_cast<size_t>(BatchScratch(planes)));
    EXPECT_TRUE(Normalize({.planes = planes,
                           .x = x.data(),
                           .out = batch.data(),
                           .save_invstd = invstd.data(),
                           .training = true,
                           .scratch = scratch.data()}));
    EXPECT_NEAR(invstd[0], expected.rstd.values[0], 1e-5 * expected.rstd.values[0]);
  });
}

TEST(NormsKernel, RowGradients) {
  // Few long rows share their columns out, many rows go by blocks.
  for (const RowShape& shape : {RowShape{3, 9000, 1, 1}, RowShape{40, 9000, 1, 1},
                                RowShape{200, 70, 1, 1}, RowShape{3000, 5, 1, 1}}) {
    const int64_t count = shape.rows * shape.length;
    const Floats g = Numbers(count, 1), x = Numbers(count, 2), weight = Numbers(shape.length, 3);
    const Floats mean = Numbers(shape.rows, 4), rstd = Positive(shape.rows, 5);
    for (int variant = 0; variant < 4; ++variant) {
      const bool centered = variant % 2 == 0, weighted = variant < 2;
      SCOPED_TRACE(::testing::Message()
                   << shape.rows << "x" << shape.length << " variant " << variant);
      const RowGradients expected = GradientsOfRows(
          DenseRows(shape.rows, shape.length), Wide(g), Wide(x), Wide(mean), Wide(rstd),
          weighted ? Wide(weight) : std::vector<double>(), shape.length, centered);
      const DType dtype = kDTypes[variant % 3];
      const std::vector<char> stored = Stored(g, dtype);
      std::vector<double> scratch(
          static_cast<size_t>(RowGradientScratch(shape.rows, shape.length) / 8 + 1));
      OnEveryTarget([&] {
        Floats out = Poisoned(count), weights = Poisoned(shape.length),
               biases = Poisoned(shape.length);
        EXPECT_TRUE(Solve(RowGradient{.rows = shape.rows,
                                      .length = shape.length,
                                      .grad = stored.data(),
                                      .grad_dtype = dtype,
                                      .x = x.data(),
                                      .mean = centered ? mean.data() : nullptr,
                                      .rstd = rstd.data(),
                                      .weight = weighted ? weight.data() : nullptr,
                                      .out = out.data(),
                                      .weight_sums = weights.data(),
                                      .bias_sums = biases.data(),
                                      .scratch = scratch.data()}));
        ExpectNear(out, expected.x, "gradient");
        ExpectNear(weights, expected.weight, "weight");
        ExpectNear(biases, expected.bias, "bias");
        out.insert(out.end(), weights.begin(), weights.end());
        out.insert(out.end(), biases.begin(), biases.end());
        return out;
      });
    }
  }
}

// ---- Channels

// One thread takes the last of them channel by channel, several do not.
constexpr Planes kPlanes[] = {
    {.outer = 700, .channels = 5, .inner = 1},   {.outer = 300, .channels = 300, .inner = 1},
    {.outer = 3, .channels = 4, .inner = 7},     {.outer = 50, .channels = 2, .inner = 300},
    {.outer = 2, .channels = 3, .inner = 20000}, {.outer = 2, .channels = 4, .inner = 5000}};

RowMap RowsOf(const Planes& planes) {
  return {.rows = planes.channels,
          .length = planes.outer * planes.inner,
          .row_step = planes.inner,
          .run = planes.inner,
          .step = planes.channels * planes.inner,
          .sets = planes.channels,
          .set_step = 1,
          .weight_run = planes.outer * planes.inner};
}

TEST(NormsKernel, BatchNormalization) {
  for (const Planes& planes : kPlanes) {
    const int64_t count = planes.ElementCount(), channels = planes.channels;
    const Floats x = Numbers(count, 1), weight = Numbers(channels, 2), bias = Numbers(channels, 3);
    const Normalized expected =
        NormalizedRows(RowsOf(planes), Wide(x), Wide(weight), Wide(bias), 1e-5);
    const auto elements = static_cast<double>(planes.outer * planes.inner);
    std::vector<double> scratch(static_cast<size_t>(BatchScratch(planes) / 8 + 1));
    for (const DType dtype : kDTypes) {
      SCOPED_TRACE(::testing::Message() << planes.outer << "x" << channels << "x" << planes.inner);
      const std::vector<char> stored = Stored(x, dtype);
      OnEveryTarget([&] {
        Floats out = Poisoned(count), mean(static_cast<size_t>(channels), 2.0f),
               variance(static_cast<size_t>(channels), 3.0f), save = Poisoned(channels),
               invstd = Poisoned(channels);
        EXPECT_TRUE(Normalize({.planes = planes,
                               .x = stored.data(),
                               .x_dtype = dtype,
                               .out = out.data(),
                               .weight = weight.data(),
                               .bias = bias.data(),
                               .running_mean = mean.data(),
                               .running_var = variance.data(),
                               .save_mean = save.data(),
                               .save_invstd = invstd.data(),
                               .training = true,
                               .momentum = 0.25,
                               .eps = 1e-5,
                               .scratch = scratch.data()}));
        ExpectNear(out, expected.out, "out");
        ExpectNear(save, expected.mean, "mean");
        ExpectNear(invstd, expected.rstd, "invstd");
        for (size_t c = 0; c < mean.size(); ++c) {
          EXPECT_NEAR(mean[c], 1.5 + 0.25 * expected.mean.values[c], 1e-5);
          const double unbiased = expected.variance.values[c] * elements / (elements - 1);
          EXPECT_NEAR(variance[c], 2.25 + 0.25 * unbiased, 1e-5);
        }
        return out;
      });
    }
  }
}

// What Solve() makes of a batch, and whether it ran.
struct BatchGradients {
  Floats x, weight, bias;
  bool ran;

  BatchGradients(BatchGradient problem, const Floats& grad, const Floats& of, const Floats& weights)
      : x(Poisoned(problem.planes.ElementCount())),
        weight(Poisoned(problem.planes.channels)),
        bias(weight) {
    std::vector<double> scratch(static_cast<size_t>(BatchScratch(problem.planes) / 8 + 1));
    problem.grad = grad.data();
    problem.x = of.data();
    problem.weight = weights.data();
    problem.out = x.data();
    problem.weight_sums = weight.data();
    problem.bias_sums = bias.data();
    problem.scratch = scratch.data();
    ran = Solve(problem);
  }
};

TEST(NormsKernel, BatchGradients) {
  for (const Planes& planes : kPlanes) {
    const int64_t count = planes.ElementCount(), channels = planes.channels;
    const Floats g = Numbers(count, 1), x = Numbers(count, 2), weight = Numbers(channels, 3);
    const Floats mean = Numbers(channels, 4), invstd = Positive(channels, 5);
    for (const bool fixed : {false, true}) {
      SCOPED_TRACE(::testing::Message() << planes.outer << "x" << channels << "x" << planes.inner);
      const RowGradients expected = GradientsOfChannels(
          RowsOf(planes), Wide(g), Wide(x), Wide(mean), Wide(invstd), Wide(weight), channels,
          {.one_weight = true, .fixed_statistics = fixed});
      OnEveryTarget([&] {
        BatchGradients got({.planes = planes,
                            .mean = mean.data(),
                            .spread = invstd.data(),
                            .fixed_statistics = fixed},
                           g, x, weight);
        EXPECT_TRUE(got.ran);
        ExpectNear(got.x, expected.x, "gradient");
        ExpectNear(got.weight, expected.weight, "weight");
        ExpectNear(got.bias, expected.bias, "bias");
        got.x.insert(got.x.end(), got.weight.begin(), got.weight.end());
        return got.x;
      });
    }
  }
}

TEST(NormsKernel, BatchGradientsOfInfiniteWeights) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Planes all[] = {{.outer = 1, .channels = 2, .inner = 3},
                        {.outer = 3, .channels = 2, .inner = 1}};
  for (const Planes& planes : all) {
    const auto at = [&](int64_t channel, int64_t i) {
      return static_cast<size_t>(planes.inner == 3 ? channel * 3 + i : i * 2 + channel);
    };
    const float of_g[] = {1, 0, 3}, of_x[] = {1, 2, 4};
    Floats g(6), x(6);
    for (int64_t i = 0; i < 6; ++i) {
      g[at(i / 3, i % 3)] = of_g[i % 3];
      x[at(i / 3, i % 3)] = of_x[i % 3];
    }
    const Floats mean(2, 7.0f / 3), invstd(2, std::sqrt(9.0f / 14));
    const auto gradient = [&](const Floats& weight, bool fixed) {
      const BatchGradients got({.planes = planes,
                                .mean = mean.data(),
                                .spread = invstd.data(),
                                .fixed_statistics = fixed},
                               g, x, weight);
      EXPECT_TRUE(got.ran);
      return got.x;
    };
    for (const bool fixed : {false, true}) {
      const Floats finite = gradient({1, -2}, fixed), infinite = gradient({kInfinity, -2}, fixed);
      for (int64_t i = 0; i < 3; ++i) {
        // Infinity times 0 is NaN.
        const float expected = kInfinity * finite[at(0, i)];
        EXPECT_TRUE(infinite[at(0, i)] == expected ||
                    (std::isnan(infinite[at(0, i)]) && std::isnan(expected)));
        EXPECT_NEAR(infinite[at(1, i)], finite[at(1, i)], 1e-5);
      }
    }
  }
}

// As PyTorch has it: what is multiplied by the infinite factor is a sum of finite terms.
TEST(NormsKernel, BatchGradientsOfAnInfiniteFactorOfTheStatistics) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Floats mean = {2}, invstd = {kInfinity};
  const BatchGradients got({.planes = {.outer = 1, .channels = 1, .inner = 3},
                            .mean = mean.data(),
                            .spread = invstd.data()},
                           {1, 2, 3}, {1, 2, 4}, {1});
  EXPECT_TRUE(got.ran);
  EXPECT_EQ(got.x[0], kInfinity);
  EXPECT_TRUE(std::isnan(got.x[1]));
  EXPECT_EQ(got.x[2], -kInfinity);
  EXPECT_EQ(got.weight, Floats{kInfinity});
  EXPECT_EQ(got.bias, Floats{6});
}

TEST(NormsKernel, GroupGradients) {
  for (const Planes& planes : {Planes{.outer = 3, .channels = 6, .inner = 1},
                               Planes{.outer = 2, .channels = 4, .inner = 20000}}) {
    const int64_t count = planes.ElementCount(), groups = 2, each = planes.channels / groups;
    const Floats g = Numbers(count, 1), x = Numbers(count, 2), weight = Numbers(planes.channels, 3);
    const Floats mean = Numbers(planes.outer * groups, 4),
                 rstd = Positive(planes.outer * groups, 5);
    RowMap map = DenseRows(planes.outer * groups, each * planes.inner);
    map.sets = groups;
    map.set_step = each;
    map.weight_run = planes.inner;
    const RowGradients expected = GradientsOfRows(map, Wide(g), Wide(x), Wide(mean), Wide(rstd),
                                                  Wide(weight), planes.channels);
    std::vector<double> scratch(static_cast<size_t>(GroupScratch(planes) / 8 + 1));
    OnEveryTarget([&] {
      Floats out = Poisoned(count), weights = Poisoned(planes.channels),
             biases = Poisoned(planes.channels);
      EXPECT_TRUE(Solve(GroupGradient{.planes = planes,
                                      .groups = groups,
                                      .grad = g.data(),
                                      .x = x.data(),
                                      .mean = mean.data(),
                                      .rstd = rstd.data(),
                                      .weight = weight.data(),
                                      .out = out.data(),
                                      .weight_sums = weights.data(),
                                      .bias_sums = biases.data(),
                                      .scratch = scratch.data()}));
      ExpectNear(out, expected.x, "gradient");
      ExpectNear(weights, expected.weight, "weight");
      ExpectNear(biases, expected.bias, "bias");
      out.insert(out.end(), weights.begin(), weights.end());
      return out;
    });
  }
}

// In float32, one after the other, four million times 0.1 make 0.38 million.
TEST(NormsKernel, LongSumsOfEqualTerms) {
  const int64_t rows = 4'000'000;
  const Floats g(static_cast<size_t>(rows), 0.1f), ones(g.size(), 1.0f);
  const double exact = static_cast<double>(0.1f) * static_cast<double>(rows);
  std::vector<double> scratch(static_cast<size_t>(RowGradientScratch(rows, 1) / 8 + 1));
  float weight = 0, bias = 0;
  EXPECT_TRUE(Solve(RowGradient{.rows = rows,
                                .length = 1,
                                .grad = g.data(),
                                .x = ones.data(),
                                .rstd = ones.data(),
                                .weight_sums = &weight,
                                .bias_sums = &bias,
                                .scratch = scratch.data()}));
  EXPECT_NEAR(weight, exact, 2e-6 * exact);
  EXPECT_NEAR(bias, exact, 2e-6 * exact);

  const float mean = 0;
  for (const Planes& planes : {Planes{.outer = rows}, Planes{.inner = rows}}) {
    std::vector<double> memory(static_cast<size_t>(BatchScratch(planes) / 8 + 1));
    EXPECT_TRUE(Solve(BatchGradient{.planes = planes,
                                    .grad = g.data(),
                                    .x = ones.data(),
                                    .mean = &mean,
                                    .weight_sums = &weight,
                                    .bias_sums = &bias,
                                    .scratch = memory.data()}));
    EXPECT_NEAR(weight, exact, 2e-6 * exact);
    EXPECT_NEAR(bias, exact, 2e-6 * exact);
  }
}

}  // namespace
}  // namespace aclimb::norms
