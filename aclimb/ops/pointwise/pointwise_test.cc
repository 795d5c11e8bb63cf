// The operators of this folder through their C interfaces: the suite, and what is particular.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "aclimb/ops/pointwise/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::pointwise {
namespace {

using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Scalar;

using Values = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

class Pointwise : public aclimb::testing::DeviceTest {
 protected:
  template <typename Phase1, typename Phase2, typename... T>
  int Run(Phase1 phase1, Phase2 phase2, const T&... arguments) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return phase1(arguments..., size, executor);
        },
        phase2, stream_);
  }
  // The output of an operator with one input.
  template <typename Phase1, typename Phase2, typename... T>
  Values Of(const Values& x, DType dtype, Phase1 phase1, Phase2 phase2, const T&... attributes) {
    const std::vector<int64_t> shape = {static_cast<int64_t>(x.size())};
    const DeviceTensor self(shape, dtype, x), out(shape, dtype);
    ACLIMB_EXPECT_OK(Run(phase1, phase2, self, attributes..., out));
    return out.Values();
  }
};
#define ACLIMB_PHASES(Name) &aclnn##Name##GetWorkspaceSize, &aclnn##Name

TEST_F(Pointwise, EluKeepsTheDigitsOfNumbersCloseToZero) {
  const Scalar one(1.0f);
  EXPECT_TRUE(Near(Of({-1e-6, -1e-3, -0.5, 2}, DType::kFloat32, ACLIMB_PHASES(Elu), one, one, one),
                   {std::expm1(-1e-6), std::expm1(-1e-3), std::expm1(-0.5), 2}, {4e-7, 0}));
}

TEST_F(Pointwise, SoftplusDoesNotOverflow) {
  const Scalar one(1.0f), far(1e30, DType::kFloat32);
  EXPECT_TRUE(Near(Of({1000, -1000, -20, 20}, DType::kFloat32, ACLIMB_PHASES(Softplus), one, far),
                   {1000, 0, std::log1p(std::exp(-20.0)), 20}, {4e-7, 0}));
}

TEST_F(Pointwise, TruthOfSoftplusDoesNotOverflow) {
  const truths::Numbers numbers = {.real = {1, 1e30}};
  EXPECT_EQ(truths::Softplus(1000, numbers), 1000);
  EXPECT_EQ(truths::Softplus(-1000, numbers), 0);
  EXPECT_TRUE(std::isnan(truths::Softplus(std::nan(""), numbers)));
}

TEST_F(Pointwise, GradientOfSoftplusIsThatOfTheLineAboveTheThreshold) {
  const Scalar two(2.0f), three(3.0f);
  const DeviceTensor self({6}, DType::kFloat32, {-1000, -1, 1.5, 1.75, 1000, kNaN});
  const DeviceTensor grad({6}, DType::kFloat32, {1, 2, 3, 4, 5, 6}), out({6}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(SoftplusBackward), grad, self, two, three, out));
  const double low = 2 / (1 + std::exp(2.0)), bound = 3 / (1 + std::exp(-3.0));
  EXPECT_TRUE(Near(out.Values(), {0, low, bound, 4, 5, kNaN}, {4e-7, 0}));
}

TEST_F(Pointwise, ShrinksTakeNumbersBelowZeroForZero) {
  const Scalar below(-1.0f), one(1.0f);
  const std::vector<double> x = {-2, -1, 0, 0.5, 1, 2, kNaN};
  EXPECT_TRUE(
      Near(Of(x, DType::kFloat32, ACLIMB_PHASES(Hardshrink), one), {-2, 0, 0, 0, 0, 2, kNaN}, {}));
  EXPECT_TRUE(Near(Of(x, DType::kFloat32, ACLIMB_PHASES(Hardshrink), below), x, {}));
  const DeviceTensor grad({7}, DType::kFloat32, {1, 2, 3, 4, 5, 6, 7}), out({7}, DType::kFloat32);
  const DeviceTensor self({7}, DType::kFloat32, x);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(HardshrinkBackward), grad, self, below, out));
  EXPECT_EQ(out.Values(), (Values{1, 2, 0, 4, 5, 6, 7}));
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(SoftshrinkBackward), grad, self, one, out));
  EXPECT_EQ(out.Values(), (Values{1, 0, 0, 0, 0, 6, 7}));
}

TEST_F(Pointwise, MishBackwardFarFromZero) {
  const DeviceTensor grad({3}, DType::kFloat32, {2, 2, 2}), out({3}, DType::kFloat32);
  const DeviceTensor self({3}, DType::kFloat32, {1e30, -1e30, 25});
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(MishBackward), grad, self, out));
  EXPECT_EQ(out.Values(), (Values{2, 0, 2}));
}

TEST_F(Pointwise, CeluRefusesAnAlphaOfZero) {
  const Scalar zero(0.0f), minus(-2.0f);
  const DeviceTensor self({2}, DType::kFloat32, {-1, 3}), out({2}, DType::kFloat32);
  EXPECT_EQ(Run(ACLIMB_PHASES(Celu), self, zero, out), 161002);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(Celu), self, minus, out));
  EXPECT_TRUE(Near(out.Values(), {-2 * std::expm1(0.5), 3}, {2e-7, 0}));
}

TEST_F(Pointwise, LogSigmoidKeepsItsDigits) {
  const std::vector<double> x = {-1000, -20, 0, 20, 1000};
  EXPECT_TRUE(Near(
      Of(x, DType::kFloat32, ACLIMB_PHASES(LogSigmoid)),
      {-1000, -20 - std::log1p(std::exp(-20.0)), -std::log(2.0), -std::log1p(std::exp(-20.0)), 0},
      {4e-7, 0}));
}

// As torch_npu passes it.
TEST_F(Pointwise, LogSigmoidTakesAnEmptyBuffer) {
  const DeviceTensor self({2}, DType::kFloat32, {0, 0}), out({2}, DType::kFloat32);
  const DeviceTensor buffer({0}, DType::kFloat32), grad({2}, DType::kFloat32, {2, 4});
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(LogSigmoidForward), self, out, buffer));
  EXPECT_TRUE(Near(out.Values(), {-std::log(2.0), -std::log(2.0)}, {2e-7, 0}));
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(LogSigmoidBackward), grad, self, buffer, out));
  EXPECT_TRUE(Near(out.Values(), {1, 2}, {2e-7, 0}));
}

TEST_F(Pointwise, RoundDecimalsRoundsBeforeThePointToo) {
  const std::vector<int64_t> shape = {4};
  const DeviceTensor self(shape, DType::kFloat32, {1250, -1350, 49, 51});
  const DeviceTensor out(shape, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(RoundDecimals), self, -2, out));
  EXPECT_EQ(out.Values(), (Values{1200, -1400, 0, 100}));
  const DeviceTensor whole(shape, DType::kInt64, {1250, -1350, 49, -51});
  const DeviceTensor rounded(shape, DType::kInt64);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(RoundDecimals), whole, -2, rounded));
  EXPECT_EQ(rounded.Values(), (Values{1200, -1400, 0, -100}));
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(RoundDecimals), whole, -30, rounded));
  EXPECT_EQ(rounded.Values(), Values(4));
}

TEST_F(Pointwise, NanToNumTakesNumbersInPlaceOfThoseThatAreNone) {
  const DeviceTensor self({4}, DType::kFloat16, {kNaN, kInf, -kInf, 3}), out({4}, DType::kFloat16);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(NanToNum), self, 1.0f, 65504.0f, -2.0f, out));
  EXPECT_EQ(out.Values(), (Values{1, 65504, -2, 3}));
}

TEST_F(Pointwise, ClampTakesTheMostWhereBoundsCrossAndKeepsNaN) {
  const Scalar two(2.0f), one(1.0f), nan(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(Near(Of({0, 1.5, 3, kNaN}, DType::kFloat32, ACLIMB_PHASES(Clamp), two, one),
                   {1, 1, 1, kNaN}, {}));
  EXPECT_TRUE(Near(Of({0, 5}, DType::kFloat32, ACLIMB_PHASES(Clamp), nan, one), {kNaN, kNaN}, {}));
  const aclScalar* const none = nullptr;
  EXPECT_TRUE(
      Near(Of({-kInf, 5}, DType::kFloat32, ACLIMB_PHASES(Clamp), none, one), {-kInf, 1}, {}));
  EXPECT_TRUE(Near(Of({kInf, 0}, DType::kFloat32, ACLIMB_PHASES(Clamp), one, none), {kInf, 1}, {}));
}

TEST_F(Pointwise, BoundsThatAnIntegerDTypeHasNotBoundNothing) {
  const Scalar low(-1000.0f), high(1000.0f), fraction(1.75f);
  EXPECT_TRUE(
      Near(Of({-128, 127}, DType::kInt8, ACLIMB_PHASES(Clamp), low, high), {-128, 127}, {}));
  EXPECT_TRUE(Near(Of({0, 255}, DType::kUInt8, ACLIMB_PHASES(ClampMin), low), {0, 255}, {}));
  EXPECT_TRUE(Near(Of({1, 3}, DType::kInt32, ACLIMB_PHASES(ClampMax), fraction), {1, 1}, {}));
}

TEST_F(Pointwise, NaNBoundsNoIntegers) {
  const Scalar nan(kNaN, DType::kFloat64), one(1.0f);
  const DeviceTensor self({2}, DType::kInt32, {-3, 100}), out({2}, DType::kInt32);
  EXPECT_EQ(Run(ACLIMB_PHASES(ClampMin), self, nan, out), 161002);
  EXPECT_EQ(Run(ACLIMB_PHASES(ClampMax), self, nan, out), 161002);
  EXPECT_EQ(Run(ACLIMB_PHASES(Clamp), self, one, nan, out), 161002);
  EXPECT_NE(std::string(aclGetRecentErrMsg())
                .find("clipValueMax is DOUBLE nan but self.dtype is INT32 (shape [2]); expected a "
                      "number, which NaN is not."),
            std::string::npos)
      << aclGetRecentErrMsg();
}

// Without a sign -5 is 251, as in PyTorch.
TEST_F(Pointwise, IntegersBelowZeroWrapInADTypeWithoutASign) {
  const Scalar low(-5, DType::kInt64), high(10, DType::kInt32), value(-2, DType::kInt64);
  constexpr DType kByte = DType::kUInt8;
  EXPECT_TRUE(Near(Of({0, 3, 255}, kByte, ACLIMB_PHASES(ClampMin), low), {251, 251, 255}, {}));
  EXPECT_TRUE(Near(Of({0, 3, 255}, kByte, ACLIMB_PHASES(ClampMax), low), {0, 3, 251}, {}));
  EXPECT_TRUE(Near(Of({0, 3, 255}, kByte, ACLIMB_PHASES(Clamp), low, high), {10, 10, 10}, {}));
  EXPECT_TRUE(
      Near(Of({0, 252, 255}, kByte, ACLIMB_PHASES(Threshold), low, value), {254, 252, 255}, {}));
}

// Those that are integers PyTorch refuses, as it does a number to fill with.
TEST_F(Pointwise, NumbersThatAnIntegerDTypeHasNotAreRefused) {
  const DeviceTensor self({2}, DType::kInt8, {1, 2}), out({2}, DType::kInt8);
  const DeviceTensor mask({2}, DType::kBool, {1, 0});
  const Scalar beyond(300, DType::kInt64), inside(-128, DType::kInt64);
  EXPECT_EQ(Run(ACLIMB_PHASES(ClampMin), self, beyond, out), 161002);
  EXPECT_NE(std::string(aclGetRecentErrMsg())
                .find("clipValueMin is INT64 300 but self.dtype is INT8 (shape [2]); expected a "
                      "number from -128 to 127."),
            std::string::npos);
  EXPECT_EQ(Run(ACLIMB_PHASES(Clamp), self, inside, beyond, out), 161002);
  EXPECT_EQ(Run(ACLIMB_PHASES(Threshold), self, inside, beyond, out), 161002);
  EXPECT_EQ(Run(ACLIMB_PHASES(InplaceMaskedFillScalar), self, mask, beyond), 161002);
  EXPECT_EQ(self.Values(), (Values{1, 2}));
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(InplaceMaskedFillScalar), self, mask, inside));
  EXPECT_EQ(self.Values(), (Values{-128, 2}));
}

TEST_F(Pointwise, WideIntegersAreExact) {
  int64_t bound = (int64_t{1} << 62) - 1;
  aclScalar* const most = aclCreateScalar(&bound, ACL_INT64);
  const DeviceTensor self({1}, DType::kInt64, {0x1p62}), out({1}, DType::kInt64);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(ClampMax), self, most, out));
  int64_t got = 0;
  std::memcpy(&got, out.Bytes().data(), sizeof(got));
  EXPECT_EQ(got, bound);
  (void)aclDestroyScalar(most);
}

TEST_F(Pointwise, AddcdivMultipliesBeforeItDivides) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const double large = dtype == DType::kFloat32 ? 3e38 : 1.5e308;
    const DeviceTensor x({1}, dtype, {1}), a({1}, dtype, {large}), b({1}, dtype, {0.5});
    const DeviceTensor out({1}, dtype);
    ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(Addcdiv), x, a, b, Scalar(0.0f), out));
    EXPECT_EQ(out.Values(), (Values{1}));
  }
}

TEST_F(Pointwise, ThresholdKeepsNaN) {
  const Scalar one(1.0f), seven(7.0f);
  EXPECT_TRUE(Near(Of({kNaN, 1, 1.5, -kInf}, DType::kFloat32, ACLIMB_PHASES(Threshold), one, seven),
                   {kNaN, 7, 1.5, 7}, {}));
}

TEST_F(Pointwise, GeluV2HasBothForms) {
  for (const int64_t approximate : {0, 1}) {
    EXPECT_TRUE(
        Near(Of({-3, 1}, DType::kFloat32, ACLIMB_PHASES(GeluV2), approximate),
             approximate == 0 ? Values{-0.00404969, 0.84134475} : Values{-0.00363739, 0.84119199},
             {1e-6, 1e-7}));
  }
}

TEST_F(Pointwise, HardswishBackwardAtItsEnds) {
  const DeviceTensor grad({4}, DType::kFloat32, {2, 2, 2, 2}), out({4}, DType::kFloat32);
  const DeviceTensor self({4}, DType::kFloat32, {-3, 3, -3.5, 3.5});
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(HardswishBackward), grad, self, out));
  EXPECT_TRUE(Near(out.Values(), {-1, 3, 0, 2}, {1e-6, 0}));
}

TEST_F(Pointwise, ConditionsAreAnyNumber) {
  const DeviceTensor condition({4}, DType::kUInt8, {0, 1, 128, 200});
  const DeviceTensor x({4}, DType::kInt8, {1, 2, 3, 4}), y({1}, DType::kInt8, {-1});
  const DeviceTensor out({4}, DType::kInt8);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(SWhere), condition, x, y, out));
  EXPECT_TRUE(Near(out.Values(), {-1, 2, 3, 4}, {}));
}

TEST_F(Pointwise, WhatIsNotChosenMayBeNaN) {
  const DeviceTensor self({3}, DType::kFloat32, {kNaN, 2, kInf});
  const DeviceTensor mask({3}, DType::kBool, {1, 0, 1}), value({}, DType::kFloat32, {-kInf});
  const Scalar zero(0.0f);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(InplaceMaskedFillScalar), self, mask, zero));
  EXPECT_TRUE(Near(self.Values(), {0, 2, 0}, {}));
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(InplaceMaskedFillTensor), self, mask, value));
  EXPECT_TRUE(Near(self.Values(), {-kInf, 2, -kInf}, {}));
}

TEST_F(Pointwise, IntegersNeitherTrapNorSaturate) {
  const DeviceTensor x({3}, DType::kInt64, {0, 7, 5}), out({3}, DType::kInt64);
  const DeviceTensor a({3}, DType::kInt64, {-0x1p63, 1, 7}), b({3}, DType::kInt64, {-1, 0, -2});
  const Scalar one(1.0f), minus(-1.0, DType::kInt32);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(Addcdiv), x, a, b, one, out));
  EXPECT_TRUE(Near(out.Values(), {-0x1p63, 7, 2}, {}));
  const DeviceTensor bytes({2}, DType::kUInt8, {3, 100}), sums({2}, DType::kUInt8);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(Addcmul), bytes, bytes, bytes, minus, sums));
  EXPECT_TRUE(Near(sums.Values(), {250, 84}, {}));
}

TEST_F(Pointwise, AWeightOfOneGivesTheOtherEndExactly) {
  const DeviceTensor x({2}, DType::kFloat32, {1e8, -1e8}), end({1}, DType::kFloat32, {1});
  const DeviceTensor out({2}, DType::kFloat32);
  const Scalar one(1.0f);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(Lerps), x, end, one, out));
  EXPECT_TRUE(Near(out.Values(), {1, 1}, {}));
}

// Of the form by tanh where nobody says which.
TEST_F(Pointwise, GradientsOfGelu) {
  const DeviceTensor grad({1}, DType::kFloat32, {1}), x({2}, DType::kFloat32, {1, -3});
  const DeviceTensor out({2}, DType::kFloat32);
  const Values by_tanh = {1.08296408, -0.01158417}, by_erf = {1.08331547, -0.01194565};
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(GeluBackward), grad, x, out));
  EXPECT_TRUE(Near(out.Values(), by_tanh, {1e-6, 1e-7}));
  for (const char* form : {"none", "tanh"}) {
    char text[8];
    std::strcpy(text, form);
    char* const approximate = text;
    ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(GeluBackwardV2), grad, x, approximate, out));
    EXPECT_TRUE(Near(out.Values(), form[0] == 't' ? by_tanh : by_erf, {1e-6, 1e-7})) << form;
  }
  char other[] = "erf";
  char* const approximate = other;
  EXPECT_EQ(Run(ACLIMB_PHASES(GeluBackwardV2), grad, x, approximate, out), 161002);
}

TEST_F(Pointwise, NaNLetsTheGradientOfAThresholdThrough) {
  const DeviceTensor grad({3}, DType::kFloat32, {1, 2, 3}), out({3}, DType::kFloat32);
  const DeviceTensor self({3}, DType::kFloat32, {kNaN, 0, 0.5});
  const Scalar zero(0.0f);
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(ThresholdBackward), grad, self, zero, out));
  EXPECT_TRUE(Near(out.Values(), {1, 0, 3}, {}));
}

TEST_F(Pointwise, ClampTensorTakesOneBoundOrTwo) {
  const DeviceTensor x({3}, DType::kFloat32, {-5, 0, 5}), out({3}, DType::kFloat32);
  const DeviceTensor least({}, DType::kFloat32, {-1}), most({}, DType::kFloat32, {1});
  const aclTensor* const none = nullptr;
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(ClampTensor), x, least, most, out));
  EXPECT_TRUE(Near(out.Values(), {-1, 0, 1}, {}));
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(ClampTensor), x, none, most, out));
  EXPECT_TRUE(Near(out.Values(), {-5, 0, 1}, {}));
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(ClampTensor), x, least, none, out));
  EXPECT_TRUE(Near(out.Values(), {-1, 0, 5}, {}));
  EXPECT_EQ(Run(ACLIMB_PHASES(ClampTensor), x, none, none, out), 161001);
}

TEST_F(Pointwise, RefusalsSayWhatToDo) {
  const DeviceTensor x({2}, DType::kFloat32, {1, 2}), out({2}, DType::kFloat32);
  const aclScalar* const none = nullptr;
  EXPECT_EQ(Run(ACLIMB_PHASES(Clamp), x, none, none, out), 161001);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnClampGetWorkspaceSize: clipValueMin and clipValueMax are null; expected at "
               "least one bound.\n"
               "  fix: pass a lower bound, an upper bound, or both\n"
               "  rule: clamp/a-bound   code: 161001 ACLNN_ERR_PARAM_NULLPTR");
  EXPECT_EQ(Run(ACLIMB_PHASES(ClampMin), x, none, out), 161001);
  EXPECT_EQ(Run(ACLIMB_PHASES(GeluV2), x, int64_t{2}, out), 161002);
  (void)aclGetRecentErrMsg();
  const Scalar slope(-0.5f);
  EXPECT_EQ(Run(ACLIMB_PHASES(LeakyReluBackward), x, x, slope, true, out), 161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnLeakyReluBackwardGetWorkspaceSize: negativeSlope is FLOAT -0.5 and "
               "selfIsResult is true; expected a number of at least 0.\n"
               "  fix: pass the forward input and selfIsResult=false: the forward map has no "
               "inverse otherwise\n"
               "  rule: leaky_relu_backward/slope-of-result   code: 161002 "
               "ACLNN_ERR_PARAM_INVALID");
  ACLIMB_EXPECT_OK(Run(ACLIMB_PHASES(LeakyReluBackward), x, x, slope, false, out));
}

}  // namespace
}  // namespace aclimb::pointwise

namespace aclimb::testing::pointwise_test {

ACLIMB_OPERATOR_SUITE(Pointwise, pointwise::kOperators);

}  // namespace aclimb::testing::pointwise_test
