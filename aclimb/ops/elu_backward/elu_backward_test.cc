// What is particular to the operator; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/ops/elu_backward/operators.h"
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
using aclimb::testing::RunBothPhases;
using aclimb::testing::Scalar;
using aclimb::testing::Setting;
using aclimb::testing::TensorSpec;

using Values = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

struct Attributes {
  double alpha = 1.5;
  double scale = 2;
  double input_scale = 0.5;
  bool is_result = false;
};

class EluBackward : public aclimb::testing::DeviceTest {
 protected:
  // The operator asks for no workspace.
  int Run(const DeviceTensor& grad, const DeviceTensor& value, const DeviceTensor& out,
          const Attributes& attributes = {}) {
    const Scalar alpha(attributes.alpha, DType::kFloat64);
    const Scalar scale(attributes.scale, DType::kFloat64);
    const Scalar input_scale(attributes.input_scale, DType::kFloat64);
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          const int code = aclnnEluBackwardGetWorkspaceSize(
              grad, alpha, scale, input_scale, attributes.is_result, value, out, size, executor);
          EXPECT_EQ(code == 0 ? *size : 0, 0u);
          return code;
        },
        &aclnnEluBackward, stream_);
  }
};

// By hand, of the formula and of the document's sample.
struct Example {
  const char* what;
  Values grad, value;
  Attributes attributes;
  Values expected;
  DType dtype = DType::kFloat32;
};

const Values kGrad = {1, -2, 3, 0.5, 1, 2};
const Values kValue = {-2, -1, -0.5, 0, 0.5, 3};
constexpr double kLeast = std::numeric_limits<float>::denorm_min();
const Example kExamples[] = {
    {"of the input", kGrad, kValue, {}, {0.55181916, -1.819592, 3.5046035, 0.75, 2, 4}},
    {"of the result", kGrad, kValue, {.is_result = true}, {0.5, -2, 3.75, 0.75, 2, 4}},
    {"SELU",
     Values(6, 1),
     kValue,
     {1.6732632423543772, 1.0507009873554805, 1},
     {0.23793287, 0.6467686, 1.0663412, 1.7580993, 1.050701, 1.050701}},
    {"sample", {-2, -1, 0, 1}, {-2, -1, 0, 1}, {1, 1, 1, true}, {2, -0.0, 0, 1}},
    {"its input", {-2, -1, 0, 1}, {-2, -1, 0, 1}, {1, 1, 1}, {-0.27067057, -0.36787944, 0, 1}},
    {"zeros", {1, 1}, {0.0, -0.0}, {}, {1.5, 1.5}},
    {"zeros of the result", {1, 1}, {0.0, -0.0}, {.is_result = true}, {1.5, 1.5}},
    {"NaN takes the linear branch", {3, 3, 3}, {kNaN, kInf, -kInf}, {}, {6, 6, 0}},
    {"NaN as a result", {3, 3, 3}, {kNaN, kInf, -kInf}, {.is_result = true}, {6, 6, -kInf}},
    {"NaN of the gradient", {kNaN, kNaN}, {1, -1}, {}, {kNaN, kNaN}},
    {"the smallest number is positive", {1}, {kLeast}, {}, {2}},
    {"inputScale below 0", {1, 1, 1}, {-1, 0, 1}, {1, 1, -1}, {-2.7182818, -1, 1}},
    {"alpha below 0", {1, 1, 1}, {-1, 0, 1}, {-1, 1, 1}, {-0.36787944, -1, 1}},
    {"alpha 0", {1}, {-1}, {0, 1, 1, true}, {-1}},
    {"alpha -0", {1}, {-1}, {-0.0, 1, 1, true}, {-1}},
    {"alpha NaN", {1}, {-1}, {kNaN, 1, 1, true}, {kNaN}},
    {"above float16", {60000}, {1}, {}, {kInf}, DType::kFloat16},
    {"below float16", {1}, {-20}, {1, 1, 1}, {0}, DType::kFloat16}};

// Also in the memory of either input.
TEST_F(EluBackward, Examples) {
  for (const Example& example : kExamples) {
    SCOPED_TRACE(example.what);
    const std::vector<int64_t> shape = {static_cast<int64_t>(example.grad.size())};
    for (int place = 0; place < 3; ++place) {
      const DeviceTensor grad(shape, example.dtype, example.grad);
      const DeviceTensor value(shape, example.dtype, example.value);
      const DeviceTensor other(shape, example.dtype);
      const DeviceTensor& out = place == 0 ? other : place == 1 ? grad : value;
      ACLIMB_ASSERT_OK(Run(grad, value, out, example.attributes));
      const Values got = out.Values();
      EXPECT_TRUE(Near(got, example.expected, {1e-6, 0}));
      for (size_t i = 0; i < got.size(); ++i) {
        if (got[i] != 0) continue;
        EXPECT_EQ(std::signbit(got[i]), std::signbit(example.expected[i])) << i;
      }
    }
  }
}

TEST_F(EluBackward, DoubleScalarsAreRoundedToFloatFirst) {
  const DeviceTensor one({1}, DType::kFloat32, {1}), out({1}, DType::kFloat64);
  ACLIMB_EXPECT_OK(Run(one, one, out, {.scale = 0.1}));
  EXPECT_EQ(out.Values()[0], static_cast<double>(0.1f));
}

// One message, whole, as people read it.
TEST_F(EluBackward, TheMessageNamesValuesExpectationFixRuleAndCode) {
  const DeviceTensor grad({8, 32}, DType::kFloat32), self({8, 16}, DType::kFloat32);
  EXPECT_EQ(Run(grad, self, grad), 161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnEluBackwardGetWorkspaceSize: selfOrResult.shape is [8, 16] but "
               "gradOutput.shape is [8, 32]; expected equal shapes.\n"
               "  fix: pass the tensor that the forward call read (isResult=false) or returned "
               "(isResult=true)\n"
               "  rule: elu_backward/same-shape/selfOrResult   code: 161002 "
               "ACLNN_ERR_PARAM_INVALID");
  EXPECT_STREQ(aclGetRecentErrMsg(), "");
}

// What the document says, apart from the contract that the suite reads.
class EluBackwardContract : public ::testing::Test {
 protected:
  using Mutation = std::function<void(CallArguments&)>;

  static void FillValidCall(CallArguments& a) {
    for (const int p : {kGradOutput, kSelfOrResult, kGradInput}) {
      a.Tensor(p, {2, 3}, DType::kFloat32);
    }
    for (const int p : {kAlpha, kScale, kInputScale}) a.ScalarOf(p, 1, DType::kFloat32);
    a.Bool(kIsResult, false);
  }
  static Mutation Tensors(std::initializer_list<int> parameters, const TensorSpec& spec) {
    return [=, all = std::vector<int>(parameters)](CallArguments& a) {
      for (const int p : all) a.Tensor(p, spec);
    };
  }
  void ExpectRefused(const char* rule, const Mutation& mutate, int code = 161002) {
    harness_.ExpectViolation(std::string("elu_backward/") + rule, code, mutate);
  }

  ContractHarness<decltype(aclnnEluBackwardGetWorkspaceSize)> harness_{
      kContract, &aclnnEluBackwardGetWorkspaceSize, &FillValidCall};
};

TEST_F(EluBackwardContract, DTypesShapesAndFormats) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
    harness_.ExpectAccepted(Tensors({kGradInput}, {{2, 3}, dtype}));
  }
  for (const DType dtype : {DType::kInt32, DType::kBool, DType::kComplex64}) {
    ExpectRefused("dtype/gradInput", Tensors({kGradInput}, {{2, 3}, dtype}));
    ExpectRefused("dtype/gradOutput", Tensors({kGradOutput, kSelfOrResult}, {{2, 3}, dtype}));
  }
  ExpectRefused("dtype/gradOutput",
                Tensors({kGradOutput, kSelfOrResult}, {{2, 3}, DType::kFloat64}));
  ExpectRefused("same-dtype/selfOrResult", Tensors({kSelfOrResult}, {{2, 3}, DType::kFloat16}));
  ExpectRefused("real/scale", [](CallArguments& a) { a.ScalarOf(kScale, 1, DType::kComplex64); });
  // Without elements, too; nothing is broadcast.
  const std::pair<std::vector<int64_t>, std::vector<int64_t>> kUnequal[] = {
      {{2, 3}, {1, 3}}, {{0}, {1, 0}}, {{3, 0, 2}, {1, 0}}};
  for (const auto& [shape, other] : kUnequal) {
    const Mutation all = Tensors({kGradOutput, kSelfOrResult, kGradInput}, {shape});
    harness_.ExpectAccepted(all);
    for (const int p : {kSelfOrResult, kGradInput}) {
      const Mutation one = Tensors({p}, {other});
      ExpectRefused(p == kGradInput ? "same-shape/gradInput" : "same-shape/selfOrResult",
                    [&](CallArguments& a) { all(a), one(a); });
    }
  }
  // Differing ones, too.
  for (const aclFormat format :
       {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_HWCN, ACL_FORMAT_NCDHW, ACL_FORMAT_NDHWC,
        ACL_FORMAT_NCL, ACL_FORMAT_NC}) {
    harness_.ExpectAccepted(Tensors({kGradOutput}, {{2, 3}, DType::kFloat32, format}));
  }
}

TEST_F(EluBackwardContract, AlphaOfAResult) {
  const auto alpha = [](double value, bool is_result) {
    return [=](CallArguments& a) {
      a.ScalarOf(kAlpha, value, DType::kInt32);
      a.Bool(kIsResult, is_result);
    };
  };
  ExpectRefused("alpha-of-result", alpha(-1, true));
  harness_.ExpectAccepted(alpha(-1, false));
}

// The older chips have no bfloat16 inputs; a bfloat16 gradInput of float32 inputs they have.
TEST_F(EluBackwardContract, ProductsDiffer) {
  const Mutation bfloat16 =
      Tensors({kGradOutput, kSelfOrResult, kGradInput}, {{2, 3}, DType::kBFloat16});
  for (const char* chip : {"Ascend310P", "Ascend310P3", "Ascend910", "Ascend910A", "Ascend910B"}) {
    const Setting product("ACLIMB_SOC", chip);
    SCOPED_TRACE(chip);
    harness_.ExpectAccepted(Tensors({kGradOutput, kSelfOrResult}, {{2, 3}, DType::kFloat16}));
    harness_.ExpectAccepted(Tensors({kGradInput}, {{2, 3}, DType::kBFloat16}));
    ExpectRefused("dtype/gradOutput", bfloat16);
    ExpectRefused("dtype/selfOrResult", Tensors({kSelfOrResult}, {{2, 3}, DType::kBFloat16}));
  }
  for (const char* chip : {"Ascend910B1", "Ascend910B3", "Ascend910_9391", "Ascend950PR_9599"}) {
    const Setting product("ACLIMB_SOC", chip);
    SCOPED_TRACE(chip);
    harness_.ExpectAccepted(bfloat16);
  }
  harness_.ExpectAccepted(bfloat16);
}

// Nulls, then an unknown chip, then everything else.
TEST_F(EluBackwardContract, TheOrderOfChecks) {
  const Mutation wrong = [](CallArguments& a) {
    a.Tensor(kGradInput, {7}, DType::kInt8);
    a.Null(kSelfOrResult);
  };
  ExpectRefused("null/selfOrResult", wrong, 161001);
  const Setting product("ACLIMB_SOC", "Ascend9000");
  ExpectRefused("null/selfOrResult", wrong, 161001);
  ExpectRefused("environment", Tensors({kGradInput}, {{7}, DType::kInt8}));
}

}  // namespace
}  // namespace aclimb::elu_backward

namespace aclimb::testing::elu_backward_test {

ACLIMB_OPERATOR_SUITE(EluBackward, elu_backward::kOperators);

}  // namespace aclimb::testing::elu_backward_test
