#include <cmath>

#include "aclimb/ops/upsample/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::upsample_test {

ACLIMB_OPERATOR_SUITE(Upsample, upsample::kOperators);

namespace {

constexpr DType kFloat = DType::kFloat32;

class Upsample : public DeviceTest {
 protected:
  // [1, 1, 1, n] in another width.
  std::vector<double> Linear(const std::vector<double>& values, int64_t width, bool corners,
                             double factor) {
    const DeviceTensor self({1, 1, 1, static_cast<int64_t>(values.size())}, kFloat, values);
    const DeviceTensor out({1, 1, 1, width}, kFloat);
    const IntArray size({1, width});
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* workspace, aclOpExecutor** executor) {
          return aclnnUpsampleBilinear2dGetWorkspaceSize(self, size, corners, 1, factor, out,
                                                         workspace, executor);
        },
        &aclnnUpsampleBilinear2d, stream_));
    return out.Values();
  }
};

// The example of the document.
TEST_F(Upsample, BetweenElements) {
  const std::vector<double> inside = Linear({1, 2, 3}, 5, false, 1);
  const std::vector<double> corners = Linear({1, 2, 3}, 5, true, 1);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(inside[i], (std::vector<double>{1, 1.4, 2, 2.6, 3})[i], 1e-6);
    EXPECT_NEAR(corners[i], 1 + 0.5 * static_cast<double>(i), 1e-6);
  }
}

// PyTorch's interpolate(scale_factor=1.5) of five elements makes seven, two thirds apart.
TEST_F(Upsample, FactorsCountWhereTheyAreNotTheQuotient) {
  const std::vector<double> out = Linear({0, 1, 2, 3, 4}, 7, false, 1.5);
  for (size_t i = 0; i < 7; ++i) {
    const double at = (static_cast<double>(i) + 0.5) / 1.5 - 0.5;
    EXPECT_NEAR(out[i], std::min(4.0, std::max(0.0, at)), 1e-5);
  }
}

// As many rows as before: none has a part of the next one, whatever that is.
TEST_F(Upsample, NaNStaysInItsRowWhereTheHeightDoes) {
  const double nan = std::nan("");
  const DeviceTensor self({1, 1, 2, 2}, kFloat, {1, 3, nan, nan});
  const DeviceTensor out({1, 1, 2, 3}, kFloat);
  const IntArray size({2, 3});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleBilinear2dGetWorkspaceSize(self, size, true, 1, 1, out, workspace,
                                                       executor);
      },
      &aclnnUpsampleBilinear2d, stream_));
  EXPECT_TRUE(Near(out.Values(), {1, 2, 3, nan, nan, nan}, {}));
}

TEST_F(Upsample, NearestKeepsEveryBit) {
  const double nan = std::nan("");
  const DeviceTensor self({1, 1, 1, 3}, DType::kFloat64, {1e300, nan, -0.0});
  const DeviceTensor out({1, 1, 2, 4}, DType::kFloat64);
  const IntArray size({2, 4});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleNearest2dGetWorkspaceSize(self, size, out, workspace, executor);
      },
      &aclnnUpsampleNearest2d, stream_));
  const std::vector<double> values = out.Values();
  for (size_t row = 0; row < 8; row += 4) {
    EXPECT_EQ(values[row], 1e300);
    EXPECT_EQ(values[row + 1], 1e300);
    EXPECT_TRUE(std::isnan(values[row + 2]));
    EXPECT_TRUE(values[row + 3] == 0 && std::signbit(values[row + 3]));
  }
}

// What PyTorch's interpolate(scale_factor=1.5) of five elements to seven takes from where.
TEST_F(Upsample, TheGradientOfNearestIsTheForwardsOnlyWithoutAFactor) {
  const DeviceTensor self({1, 1, 1, 5}, kFloat, {0, 1, 2, 3, 4}), out({1, 1, 1, 7}, kFloat);
  const DeviceTensor grad({1, 1, 1, 7}, kFloat, {1, 1, 1, 1, 1, 1, 1});
  const IntArray size({1, 7}), input({1, 1, 1, 5});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleNearest2dGetWorkspaceSize(self, size, out, workspace, executor);
      },
      &aclnnUpsampleNearest2d, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{0, 0, 1, 2, 2, 3, 4}));
  const auto gradient = [&](double factor) {
    const DeviceTensor result({1, 1, 1, 5}, kFloat);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* workspace, aclOpExecutor** executor) {
          return aclnnUpsampleNearest2dBackwardGetWorkspaceSize(grad, size, input, 1, factor,
                                                                result, workspace, executor);
        },
        &aclnnUpsampleNearest2dBackward, stream_));
    return result.Values();
  };
  for (const double none : {0.0, -1.0, 1.0}) {
    EXPECT_EQ(gradient(none), (std::vector<double>{2, 1, 2, 1, 1})) << none;
  }
  EXPECT_EQ(gradient(1.5), (std::vector<double>{2, 1, 2, 1, 1}));
  EXPECT_EQ(gradient(1.9), (std::vector<double>{2, 2, 2, 1, 0}));
}

// Views of images whose channels lie beside each other in memory.
TEST_F(Upsample, ChannelsMayBeLast) {
  for (const truth::OperatorEntry& entry : upsample::kOperators) {
    int many_channels = 0;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      truth::Draw draw(seed);
      truth::Call call(*entry.contract);
      entry.draw(draw, call);
      if (draw.strange()) continue;
      many_channels += call.Shape(0)[1] > 8 ? 1 : 0;
      OperatorRun run(entry, call, [&](truth::Slot slot) {
        const std::vector<int64_t>& shape = call.Shape(slot);
        DeviceTensor::Options options;
        options.stride.assign(shape.size(), 1);
        int64_t step = shape[1];
        for (size_t d = shape.size(); d-- > 0;) {
          if (d == 1) continue;
          options.stride[d] = step;
          step *= shape[d];
        }
        return options;
      });
      ACLIMB_ASSERT_OK(run.Run(stream_));
      ASSERT_NO_FATAL_FAILURE(run.ExpectTruth());
      ASSERT_FALSE(HasFailure()) << TextOf(call);
    }
    EXPECT_GT(many_channels, 5) << entry.contract->function;
  }
}

// A million equal terms to one element.
TEST_F(Upsample, LongSumsOfGradientsAreExactEnough) {
  constexpr int64_t kSide = 1000;
  const auto value = static_cast<double>(0.1f);
  const DeviceTensor grad_out({1, 1, kSide, kSide}, kFloat,
                              std::vector<double>(kSide * kSide, value));
  const DeviceTensor grad_input({1, 1, 1, 1}, kFloat);
  const IntArray output_size({kSide, kSide}), input_size({1, 1, 1, 1});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleNearest2dBackwardGetWorkspaceSize(grad_out, output_size, input_size, -1,
                                                              -1, grad_input, workspace, executor);
      },
      &aclnnUpsampleNearest2dBackward, stream_));
  EXPECT_NEAR(grad_input.Values()[0], value * kSide * kSide, 0.01);
}

class UpsampleRules : public DeviceTest {
 protected:
  template <typename Harness>
  static void ExpectForwardRules(Harness& harness) {
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    harness.ExpectRule("images/self", [](CallArguments& a) { a.Tensor(0, {1, 2, 0, 3}, kFloat); });
    harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(1, {4, 4}); });
  }
  template <typename Harness>
  static void ExpectBackwardRules(Harness& harness, int gradient, const char* name) {
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    harness.ExpectRule("images/inputSize", [&](CallArguments& a) {
      a.Ints(2, {1, 2, 0, 3});
      a.Tensor(gradient, {1, 2, 0, 3}, kFloat);
    });
    harness.ExpectRule("shape/gradOut", [](CallArguments& a) { a.Ints(1, {4, 4}); });
    harness.ExpectRule(Cat("shape/", name), [](CallArguments& a) { a.Ints(2, {1, 2, 3, 3}); });
  }

  template <typename Harness>
  static void ExpectLineRules(Harness& harness) {
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    harness.ExpectRule("images/self", [](CallArguments& a) { a.Tensor(0, {1, 2, 0}, kFloat); });
    harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(1, {4}); });
  }
  template <typename Harness>
  static void ExpectLineBackwardRules(Harness& harness, int gradient, const char* name) {
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    harness.ExpectRule("images/inputSize", [&](CallArguments& a) {
      a.Ints(2, {1, 2, 0});
      a.Tensor(gradient, {1, 2, 0}, kFloat);
    });
    harness.ExpectRule("shape/gradOut", [](CallArguments& a) { a.Ints(1, {4}); });
    harness.ExpectRule(Cat("shape/", name), [](CallArguments& a) { a.Ints(2, {1, 2, 4}); });
  }
};

TEST_F(UpsampleRules, Nearest) {
  using namespace upsample::nearest;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleNearest2dGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleNearest2dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 2, 3}, kFloat);
        a.Ints(kOutputSize, {4, 5});
        a.Tensor(kOut, {1, 2, 4, 5}, kFloat);
      });
  ExpectForwardRules(harness);
  harness.ExpectEveryRuleCovered({"upsample_nearest2d/product"});
}

TEST_F(UpsampleRules, NearestBackward) {
  using namespace upsample::nearest_backward;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleNearest2dBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleNearest2dBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOut, {1, 2, 4, 5}, kFloat);
        a.Ints(kOutputSize, {4, 5});
        a.Ints(kInputSize, {1, 2, 2, 3});
        a.Real(kScalesH, -1);
        a.Real(kScalesW, 0);
        a.Tensor(kGradInput, {1, 2, 2, 3}, kFloat);
      });
  ExpectBackwardRules(harness, kGradInput, "gradInput");
  harness.ExpectEveryRuleCovered({"upsample_nearest2d_backward/product"});
}

TEST_F(UpsampleRules, Bilinear) {
  using namespace upsample::bilinear;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleBilinear2dGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleBilinear2dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 2, 3}, kFloat);
        a.Ints(kOutputSize, {4, 5});
        a.Bool(kAlignCorners, true);
        a.Real(kScalesH, 1);
        a.Real(kScalesW, 1);
        a.Tensor(kOut, {1, 2, 4, 5}, kFloat);
      });
  ExpectForwardRules(harness);
  harness.ExpectEveryRuleCovered({"upsample_bilinear2d/product"});
}

TEST_F(UpsampleRules, BilinearBackward) {
  using namespace upsample::bilinear_backward;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleBilinear2dBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOut, {1, 2, 4, 5}, kFloat);
        a.Ints(kOutputSize, {4, 5});
        a.Ints(kInputSize, {1, 2, 2, 3});
        a.Bool(kAlignCorners, true);
        a.Real(kScalesH, 0);
        a.Real(kScalesW, 0);
        a.Tensor(kOut, {1, 2, 2, 3}, kFloat);
      });
  ExpectBackwardRules(harness, kOut, "out");
  harness.ExpectEveryRuleCovered({"upsample_bilinear2d_backward/product"});
}

TEST_F(UpsampleRules, Lines) {
  {
    using namespace upsample::nearest1d;  // NOLINT: the positions
    ContractHarness<decltype(aclnnUpsampleNearest1dGetWorkspaceSize)> harness(
        kContract, &aclnnUpsampleNearest1dGetWorkspaceSize, [](CallArguments& a) {
          a.Tensor(kSelf, {1, 2, 3}, kFloat);
          a.Ints(kOutputSize, {5});
          a.Tensor(kOut, {1, 2, 5}, kFloat);
        });
    ExpectLineRules(harness);
    harness.ExpectEveryRuleCovered({"upsample_nearest1d/product"});
  }
  {
    using namespace upsample::linear1d;  // NOLINT: the positions
    ContractHarness<decltype(aclnnUpsampleLinear1dGetWorkspaceSize)> harness(
        kContract, &aclnnUpsampleLinear1dGetWorkspaceSize, [](CallArguments& a) {
          a.Tensor(kSelf, {1, 2, 3}, kFloat);
          a.Ints(kOutputSize, {5});
          a.Bool(kAlignCorners, true);
          a.Real(kScales, 1);
          a.Tensor(kOut, {1, 2, 5}, kFloat);
        });
    ExpectLineRules(harness);
    harness.ExpectEveryRuleCovered({"upsample_linear1d/product"});
  }
}

TEST_F(UpsampleRules, LinesBackward) {
  {
    using namespace upsample::nearest1d_backward;  // NOLINT: the positions
    ContractHarness<decltype(aclnnUpsampleNearest1dBackwardGetWorkspaceSize)> harness(
        kContract, &aclnnUpsampleNearest1dBackwardGetWorkspaceSize, [](CallArguments& a) {
          a.Tensor(kGradOut, {1, 2, 5}, kFloat);
          a.Ints(kOutputSize, {5});
          a.Ints(kInputSize, {1, 2, 3});
          a.Real(kScales, 0);
          a.Tensor(kOut, {1, 2, 3}, kFloat);
        });
    ExpectLineBackwardRules(harness, kOut, "out");
    harness.ExpectEveryRuleCovered({"upsample_nearest1d_backward/product"});
  }
  {
    using namespace upsample::linear1d_backward;  // NOLINT: the positions
    ContractHarness<decltype(aclnnUpsampleLinear1dBackwardGetWorkspaceSize)> harness(
        kContract, &aclnnUpsampleLinear1dBackwardGetWorkspaceSize, [](CallArguments& a) {
          a.Tensor(kGradOut, {1, 2, 5}, kFloat);
          a.Ints(kOutputSize, {5});
          a.Ints(kInputSize, {1, 2, 3});
          a.Bool(kAlignCorners, false);
          a.Real(kScales, 0);
          a.Tensor(kOut, {1, 2, 3}, kFloat);
        });
    ExpectLineBackwardRules(harness, kOut, "out");
    harness.ExpectEveryRuleCovered({"upsample_linear1d_backward/product"});
  }
}

}  // namespace
}  // namespace aclimb::testing::upsample_test
