// The operator through its C interface: results, refusals and edge cases.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/ops/elu_backward/operators.h"
#include "aclimb/ops/elu_backward/truth.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::elu_backward {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::Random;
using aclimb::testing::Rounded;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Scalar;
using aclimb::testing::Setting;
using aclimb::testing::Tolerance;

using Values = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

struct Attributes {
  float alpha = 1.5f;
  float scale = 2.0f;
  float input_scale = 0.5f;
  bool is_result = false;
};

Tolerance ToleranceOf(DType dtype) {
  const truth::Allowance allowance = AllowanceOf(dtype);
  return {allowance.relative, allowance.absolute};
}

class EluBackward : public aclimb::testing::DeviceTest {
 protected:
  int Run(const DeviceTensor& grad, const DeviceTensor& value, const DeviceTensor& out,
          Attributes attributes) {
    const Scalar alpha(attributes.alpha);
    const Scalar scale(attributes.scale);
    const Scalar input_scale(attributes.input_scale);
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          const int code = aclnnEluBackwardGetWorkspaceSize(
              grad, alpha, scale, input_scale, attributes.is_result, value, out, size, executor);
          EXPECT_EQ(code == 0 ? *size : 0, 0u);
          return code;
        },
        &aclnnEluBackward, stream_);
  }

  // Contiguous vectors of one dtype.
  Values Compute(const Values& grad, const Values& value, Attributes attributes,
                 DType dtype = DType::kFloat32) {
    const std::vector<int64_t> shape = {static_cast<int64_t>(grad.size())};
    const DeviceTensor g(shape, dtype, grad);
    const DeviceTensor v(shape, dtype, value);
    const DeviceTensor out(shape, dtype);
    ACLIMB_EXPECT_OK(Run(g, v, out, attributes));
    EXPECT_TRUE(out.SurroundingsIntact());
    return out.Values();
  }

  Values TruthOf(const Values& grad, const Values& value, Attributes attributes, DType dtype) {
    Values expected;
    for (size_t i = 0; i < grad.size(); ++i) {
      expected.push_back(Truth(Rounded(grad[i], dtype), Rounded(value[i], dtype), attributes.alpha,
                               attributes.scale, attributes.input_scale, attributes.is_result));
    }
    return expected;
  }
};

const Values kGrad = {1, -2, 3, 0.5, 1, 2};
const Values kValue = {-2, -1, -0.5, 0, 0.5, 3};

TEST_F(EluBackward, FromInput) {
  EXPECT_TRUE(
      Near(Compute(kGrad, kValue, {}), {0.55181916, -1.819592, 3.5046035, 0.75, 2, 4}, {1e-6, 0}));
}

TEST_F(EluBackward, FromResult) {
  EXPECT_TRUE(Near(Compute(kGrad, kValue, {.is_result = true}), {0.5, -2, 3.75, 0.75, 2, 4}, {}));
}

TEST_F(EluBackward, SeluConstants) {
  const Attributes selu = {1.6732632423543772f, 1.0507009873554805f, 1.0f, false};
  EXPECT_TRUE(Near(Compute(Values(6, 1.0), kValue, selu),
                   {0.23793287, 0.6467686, 1.0663412, 1.7580993, 1.050701, 1.050701}, {1e-6, 0}));
}

TEST_F(EluBackward, SeedSampleKeepsTheNegativeZero) {
  const Values got = Compute({-2, -1, 0, 1}, {-2, -1, 0, 1}, {1, 1, 1, true});
  EXPECT_TRUE(Near(got, {2, 0, 0, 1}, {}));
  EXPECT_TRUE(std::signbit(got[1]));
  EXPECT_TRUE(Near(Compute({-2, -1, 0, 1}, {-2, -1, 0, 1}, {1, 1, 1, false}),
                   {-0.27067057, -0.36787944, 0, 1}, {1e-6, 0}));
}

TEST_F(EluBackward, BothZerosTakeTheExponentialBranch) {
  EXPECT_TRUE(Near(Compute({1, 1}, {0.0, -0.0}, {}), {1.5, 1.5}, {}));
  EXPECT_TRUE(Near(Compute({1, 1}, {0.0, -0.0}, {.is_result = true}), {1.5, 1.5}, {}));
}

TEST_F(EluBackward, NaNTakesTheLinearBranchAndInfinitiesTheirLimits) {
  EXPECT_TRUE(Near(Compute({3, 3, 3}, {kNaN, kInf, -kInf}, {}), {6, 6, 0}, {}));
  EXPECT_TRUE(
      Near(Compute({3, 3, 3}, {kNaN, kInf, -kInf}, {.is_result = true}), {6, 6, -kInf}, {}));
  EXPECT_TRUE(Near(Compute({kNaN, kNaN}, {1, -1}, {}), {kNaN, kNaN}, {}));
}

TEST_F(EluBackward, TheSmallestSubnormalIsPositive) {
  EXPECT_TRUE(Near(Compute({1}, {1.401298464324817e-45}, {}), {2}, {}));
}

TEST_F(EluBackward, NegativeScales) {
  EXPECT_TRUE(
      Near(Compute({1, 1, 1}, {-1, 0, 1}, {1, 1, -1, false}), {-2.7182818, -1, 1}, {1e-6, 0}));
  EXPECT_TRUE(
      Near(Compute({1, 1, 1}, {-1, 0, 1}, {-1, 1, 1, false}), {-0.36787944, -1, 1}, {1e-6, 0}));
}

TEST_F(EluBackward, AlphaZeroAndNaNPassWithResult) {
  EXPECT_TRUE(Near(Compute({1}, {-1}, {0, 1, 1, true}), {-1}, {}));
  EXPECT_TRUE(Near(Compute({1}, {-1}, {-0.0f, 1, 1, true}), {-1}, {}));
  EXPECT_TRUE(
      Near(Compute({1}, {-1}, {std::numeric_limits<float>::quiet_NaN(), 1, 1, true}), {kNaN}, {}));
}

TEST_F(EluBackward, ScalarsOfEveryRealDType) {
  const DeviceTensor g({2}, DType::kFloat32, {1, 1});
  const DeviceTensor v({2}, DType::kFloat32, {-1, 1});
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64,
                      DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8,
                      DType::kUInt16, DType::kUInt32, DType::kUInt64, DType::kBool}) {
    const DeviceTensor out({2}, DType::kFloat32);
    const Scalar one(1, dtype);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnEluBackwardGetWorkspaceSize(g, one, one, one, true, v, out, size, executor);
        },
        &aclnnEluBackward, stream_));
    EXPECT_TRUE(Near(out.Values(), {0, 1}, {})) << NameOf(dtype);
  }
}

TEST_F(EluBackward, DoubleScalarsAreRoundedToFloatFirst) {
  const DeviceTensor g({1}, DType::kFloat32, {1});
  const DeviceTensor v({1}, DType::kFloat32, {1});
  const DeviceTensor out({1}, DType::kFloat64);
  const Scalar tenth(0.1, DType::kFloat64);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnEluBackwardGetWorkspaceSize(g, tenth, tenth, tenth, true, v, out, size,
                                                executor);
      },
      &aclnnEluBackward, stream_));
  EXPECT_EQ(out.Values()[0], static_cast<double>(0.1f));
}

TEST_F(EluBackward, AWiderOutputHoldsValuesOfTheInputDType) {
  const DeviceTensor g({1}, DType::kFloat16, {1});
  const DeviceTensor v({1}, DType::kFloat16, {-1});
  const DeviceTensor out({1}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(g, v, out, {}));
  EXPECT_EQ(out.Values()[0], Rounded(out.Values()[0], DType::kFloat16));
}

TEST_F(EluBackward, Float16OverflowAndUnderflow) {
  EXPECT_TRUE(Near(Compute({60000}, {1}, {}, DType::kFloat16), {kInf}, {}));
  EXPECT_TRUE(Near(Compute({1}, {-20}, {1, 1, 1, false}, DType::kFloat16), {0}, {}));
}

TEST_F(EluBackward, EmptyTensorsAreStillChecked) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{0}, {3, 0, 2}}) {
    const DeviceTensor g(shape, DType::kFloat32);
    const DeviceTensor v(shape, DType::kFloat32);
    const DeviceTensor out(shape, DType::kFloat32);
    const DeviceTensor other({1, 0}, DType::kFloat32);
    EXPECT_EQ(Run(g, other, out, {}), 161002);
    EXPECT_EQ(Run(g, v, other, {}), 161002);
  }
}

TEST_F(EluBackward, InPlaceOnEitherInput) {
  for (bool on_grad : {true, false}) {
    const DeviceTensor g({6}, DType::kFloat32, kGrad);
    const DeviceTensor v({6}, DType::kFloat32, kValue);
    ACLIMB_EXPECT_OK(Run(g, v, on_grad ? g : v, {}));
    EXPECT_TRUE(Near((on_grad ? g : v).Values(), {0.55181916, -1.819592, 3.5046035, 0.75, 2, 4},
                     {1e-6, 0}));
  }
}

TEST_F(EluBackward, AnyPlainFormatAlsoDifferingOnes) {
  for (aclFormat format : {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_HWCN, ACL_FORMAT_NCDHW,
                           ACL_FORMAT_NDHWC, ACL_FORMAT_NCL, ACL_FORMAT_NC, ACL_FORMAT_ND}) {
    const DeviceTensor g({6}, DType::kFloat32, kGrad, {.format = format});
    const DeviceTensor v({6}, DType::kFloat32, kValue);
    const DeviceTensor out({6}, DType::kFloat32, {}, {.format = ACL_FORMAT_NHWC});
    ACLIMB_EXPECT_OK(Run(g, v, out, {}));
  }
}

TEST_F(EluBackward, SizesAroundVectorWidthsAndALargeOne) {
  Random random(10);
  std::vector<int64_t> sizes = {1,  2,  3,  5,  7,  8,  9,  15,   16,
                                17, 31, 32, 33, 63, 64, 65, 1023, 1025};
  sizes.push_back(1024 * 1024 + 3);
  for (int64_t size : sizes) {
    const Values grad = random.Reals(size, -2, 2);
    const Values value = random.Reals(size, -3, 2);
    for (DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      ASSERT_TRUE(Near(Compute(grad, value, {}, dtype), TruthOf(grad, value, {}, dtype),
                       ToleranceOf(dtype)))
          << size;
    }
  }
}

void FillValidCall(CallArguments& arguments) {
  arguments.Tensor(kGradOutput, {2, 3}, DType::kFloat32);
  arguments.ScalarOf(kAlpha, 1, DType::kFloat32);
  arguments.ScalarOf(kScale, 1, DType::kFloat32);
  arguments.ScalarOf(kInputScale, 1, DType::kFloat32);
  arguments.Bool(kIsResult, false);
  arguments.Tensor(kSelfOrResult, {2, 3}, DType::kFloat32);
  arguments.Tensor(kGradInput, {2, 3}, DType::kFloat32);
}

TEST(EluBackwardContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnEluBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnEluBackwardGetWorkspaceSize, &FillValidCall, aclimb::testing::Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("alpha-of-result", [](CallArguments& a) {
    a.ScalarOf(kAlpha, -1, DType::kInt32);
    a.Bool(kIsResult, true);
  });
  harness.ExpectEveryRuleCovered();
}

TEST(EluBackwardContract, InputsOfOtherDTypesAreRefused) {
  ContractHarness<decltype(aclnnEluBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnEluBackwardGetWorkspaceSize, &FillValidCall, aclimb::testing::Naming::kEach);
  for (DType dtype : {DType::kInt32, DType::kFloat64, DType::kBool, DType::kComplex64}) {
    harness.ExpectViolation("elu_backward/dtype/gradOutput", 161002, [&](CallArguments& a) {
      a.Tensor(kGradOutput, {2, 3}, dtype);
      a.Tensor(kSelfOrResult, {2, 3}, dtype);
    });
  }
  for (DType dtype : {DType::kInt32, DType::kBool, DType::kComplex64}) {
    harness.ExpectViolation("elu_backward/dtype/gradInput", 161002, [&](CallArguments& a) {
      a.Tensor(kGradInput, {2, 3}, dtype);
    });
  }
}

// The older chips have no bfloat16 inputs; a bfloat16 gradInput of float32 inputs they have.
TEST(EluBackwardContract, ProductsDiffer) {
  ContractHarness<decltype(aclnnEluBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnEluBackwardGetWorkspaceSize, &FillValidCall, aclimb::testing::Naming::kEach);
  const auto bfloat16 = [](CallArguments& a) {
    for (int parameter : {kGradOutput, kSelfOrResult, kGradInput}) {
      a.Tensor(parameter, {2, 3}, DType::kBFloat16);
    }
  };
  const auto half = [](CallArguments& a) {
    for (int parameter : {kGradOutput, kSelfOrResult}) {
      a.Tensor(parameter, {2, 3}, DType::kFloat16);
    }
  };
  for (const char* chip : {"Ascend310P", "Ascend310P3", "Ascend910", "Ascend910A", "Ascend910B"}) {
    const Setting product("ACLIMB_SOC", chip);
    SCOPED_TRACE(chip);
    harness.ExpectAccepted();
    harness.ExpectAccepted(half);
    harness.ExpectAccepted([](CallArguments& a) {
      a.Tensor(kGradInput, {2, 3}, DType::kBFloat16);
    });
    harness.ExpectViolation("elu_backward/dtype/gradOutput", 161002, bfloat16);
    harness.ExpectViolation("elu_backward/dtype/selfOrResult", 161002, [](CallArguments& a) {
      a.Tensor(kSelfOrResult, {2, 3}, DType::kBFloat16);
    });
  }
  for (const char* chip : {"Ascend910B1", "Ascend910B3", "Ascend910_9391", "Ascend950PR_9599"}) {
    const Setting product("ACLIMB_SOC", chip);
    SCOPED_TRACE(chip);
    harness.ExpectAccepted(bfloat16);
  }
  harness.ExpectAccepted(bfloat16);
}

// After the nulls, before everything else.
TEST(EluBackwardContract, AnUnknownChipIsRefusedWithTheKnownNames) {
  ContractHarness<decltype(aclnnEluBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnEluBackwardGetWorkspaceSize, &FillValidCall, aclimb::testing::Naming::kEach);
  const Setting product("ACLIMB_SOC", "Ascend9000");
  harness.ExpectViolation("elu_backward/null/alpha", 161001,
                          [](CallArguments& a) { a.Null(kAlpha); });
  harness.ExpectViolation("elu_backward/environment", 161002,
                          [](CallArguments& a) { a.Tensor(kGradInput, {7}, DType::kInt8); });
}

TEST(EluBackwardContract, NullOutranksAWrongDType) {
  ContractHarness<decltype(aclnnEluBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnEluBackwardGetWorkspaceSize, &FillValidCall, aclimb::testing::Naming::kEach);
  harness.ExpectViolation("elu_backward/null/gradInput", 161001, [](CallArguments& a) {
    a.Tensor(kGradOutput, {2, 3}, DType::kInt32);
    a.Null(kGradInput);
  });
}

// One message, whole, as people read it.
TEST(EluBackwardContract, TheMessageNamesValuesExpectationFixRuleAndCode) {
  CallArguments a(7);
  FillValidCall(a);
  const Scalar one(1.0f);
  const DeviceTensor::Options none;
  const int64_t shape[] = {8, 32};
  const int64_t other[] = {8, 16};
  aclTensor* grad =
      aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, nullptr);
  aclTensor* self =
      aclCreateTensor(other, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, other, 2, nullptr);
  (void)aclGetRecentErrMsg();
  uint64_t size;
  aclOpExecutor* executor;
  EXPECT_EQ(
      aclnnEluBackwardGetWorkspaceSize(grad, one, one, one, false, self, grad, &size, &executor),
      161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnEluBackwardGetWorkspaceSize: selfOrResult.shape is [8, 16] but "
               "gradOutput.shape is [8, 32]; expected equal shapes.\n"
               "  fix: pass the tensor that the forward call read (isResult=false) or returned "
               "(isResult=true)\n"
               "  rule: elu_backward/same-shape/selfOrResult   code: 161002 "
               "ACLNN_ERR_PARAM_INVALID");
  EXPECT_STREQ(aclGetRecentErrMsg(), "");
  (void)aclDestroyTensor(grad);
  (void)aclDestroyTensor(self);
}

}  // namespace
}  // namespace aclimb::elu_backward

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(EluBackward, elu_backward::kOperators);

}  // namespace aclimb::testing
