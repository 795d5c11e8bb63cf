// What is particular to the operator; the suite has the rest.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aclimb/ops/cross_entropy_loss_grad/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::cross_entropy_loss_grad {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Setting;
using aclimb::testing::Tolerance;

using Values = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

// Three rows whose probabilities are powers of two (the second row is not a distribution, and need
// not be), unless the problem has other ones.
Problem WithRows(Problem p) {
  if (p.rows != 0) return p;
  p.rows = p.columns = 3;
  for (const double probability : {.5, .25, .25, .125, .125, .75, .25, .5, .25}) {
    p.log_prob.push_back(std::log(probability));
  }
  if (p.target.empty()) p.target = {0, 2, 1};
  return p;
}

class CrossEntropyLossGrad : public aclimb::testing::DeviceTest {
 protected:
  // The operator asks for no workspace.
  int Run(const Problem& p, const aclTensor* grad, const aclTensor* log_prob,
          const aclTensor* target, const aclTensor* weight, const aclTensor* grad_zloss,
          const aclTensor* lse, aclTensor* out) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          const int code = aclnnCrossEntropyLossGradGetWorkspaceSize(
              grad, log_prob, target, weight, grad_zloss, lse, p.reduction.c_str(), p.ignore_index,
              p.label_smoothing, p.lse_square_scale, out, size, executor);
          EXPECT_EQ(code == 0 ? *size : 0, 0u);
          return code;
        },
        &aclnnCrossEntropyLossGrad, stream_);
  }

  Values Compute(const Problem& p, DType dtype, bool in_place = false) {
    using Optional = std::unique_ptr<DeviceTensor>;
    const std::vector<int64_t> per_loss =
        p.reduction == "none" ? std::vector<int64_t>{p.rows} : std::vector<int64_t>{};
    const auto given = [](const Values& values, const std::vector<int64_t>& shape, DType of) {
      return values.empty() ? nullptr : std::make_unique<DeviceTensor>(shape, of, values);
    };
    const DeviceTensor grad(per_loss, dtype, p.grad_loss);
    const DeviceTensor log_prob({p.rows, p.columns}, dtype, p.log_prob);
    DeviceTensor target({p.rows}, DType::kInt64);
    target.SetIntegers(p.target);
    const Optional weight = given(p.weight, {p.columns}, DType::kFloat32);
    const Optional grad_zloss = given(p.grad_zloss, per_loss, dtype);
    const Optional lse = given(p.lse, {p.rows}, dtype);
    const DeviceTensor other({p.rows, p.columns}, dtype);
    const DeviceTensor& out = in_place ? log_prob : other;
    const auto get = [](const Optional& tensor) { return tensor ? tensor->get() : nullptr; };
    ACLIMB_EXPECT_OK(Run(p, grad, log_prob, target, get(weight), get(grad_zloss), get(lse), out));
    return out.Values();
  }
};

// By hand, of the formula and of the document's sample; zeros have signs.
struct Example {
  const char* what;
  Problem problem;
  Values expected;
  std::vector<DType> dtypes = {DType::kFloat32};
  Tolerance tolerance = {0, 2e-6};
};

constexpr int64_t kFar = (int64_t{1} << 32) + 2;  // class 2 in the lower half
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
const std::vector<DType> kEveryDType = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
const Values kMeans = {-.5, .25, .25, .125, .125, -.25, .25, -.5, .25};
const Values kOneRow = {0, 0, 0, 5. / 8, 5. / 8, -5. / 4, 0, 0, 0};
constexpr double kSampleLow = -107479040;
const Problem kSample = {.rows = 2,
                         .columns = 3,
                         .grad_loss = {.1},
                         .log_prob = Values(6, -.2),
                         .target = {0, 0},
                         .weight = {1, 1, 1}};

const Example kExamples[] = {
    {"none",
     {.reduction = "none", .grad_loss = {1, 2, 4}},
     {-.5, .25, .25, .25, .25, -.5, 1, -2, 1}},
    {"sum", {.reduction = "sum", .grad_loss = {2}}, {-1, .5, .5, .25, .25, -.5, .5, -1, .5}},
    {"mean", {.grad_loss = {3}}, kMeans},
    {"weighted", {.grad_loss = {7}, .weight = {1, 2, 4}}, {-.5, .25, .25, .5, .5, -1, .5, -1, .5}},
    {"weight 0", {.grad_loss = {3}, .weight = {1, 2, 0}}, {-.5, .25, .25, 0, 0, 0, .5, -1, .5}},
    {"class ignored, weighted",
     {.grad_loss = {3}, .weight = {1, 2, 4}, .ignore_index = 2},
     {-.5, .25, .25, 0, 0, 0, .5, -1, .5}},
    {"class ignored",
     {.reduction = "sum", .grad_loss = {1}, .ignore_index = 0},
     {0, 0, 0, .125, .125, -.25, .25, -.5, .25}},
    {"smoothing",
     {.reduction = "sum", .grad_loss = {1}, .label_smoothing = .3},
     {-.3, .15, .15, .025, .025, -.05, .15, -.3, .15}},
    {"smoothing, weighted",
     {.grad_loss = {3}, .weight = {1, 2, 4}, .ignore_index = 2, .label_smoothing = .3},
     {-.1, .15, -.05, 0, 0, 0, .425, -.55, .125}},
    {"z-loss of each row",
     {.reduction = "none", .grad_loss = {1, 1, 1}, .lse = {1, 2, 3}, .lse_square_scale = .5},
     {0, .5, .5, .375, .375, 1.25, 1, 1, 1}},
    {"z-loss of the mean",
     {.grad_loss = {3},
      .grad_zloss = {1},
      .lse = {1, 2, 3},
      .ignore_index = 2,
      .lse_square_scale = .5},
     {.25, .875, .875, 0, 0, 0, 1.875, 2.25, 1.875}},
    {"all ignored", {.grad_loss = {5}, .target = {-100, -100, -100}}, Values(9)},
    {"mean by 0",
     {.grad_loss = {5}, .target = {-100, 1, -100}, .weight = {0, 0, 0}},
     {0, 0, 0, kNaN, kNaN, kNaN, 0, 0, 0}},
    {"no class", {.grad_loss = {5}, .target = {3, 2, -1}, .weight = {1, 2, 4}}, kOneRow},
    {"no class of 32 bits",
     {.grad_loss = {5}, .target = {kFar, 2, kFar - 3}, .weight = {1, 2, 4}},
     kOneRow},
    {"the ends",
     {.grad_loss = {5}, .target = {kMost, 2, -kMost - 1}, .weight = {1, 2, 4}},
     kOneRow},
    {"ignored beyond 32 bits",
     {.grad_loss = {5}, .target = {kFar, 2, kFar}, .weight = {1, 2, 4}, .ignore_index = kFar},
     kOneRow},
    {"not finite",
     {.rows = 2,
      .columns = 6,
      .reduction = "sum",
      .grad_loss = {-3},
      .log_prob = {0, -kInf, kInf, kNaN, -60000, 60000, kNaN, kInf, -kInf, kNaN, 0, 1},
      .target = {0, -100}},
     {0, -0.0, -kInf, kNaN, -0.0, -kInf, 0, 0, 0, 0, 0, 0},
     kEveryDType},
    {"sample",
     kSample,
     {-.00906346, .04093654, .04093654, -.00906346, .04093654, .04093654},
     {DType::kFloat32},
     {0, 1e-8}},
    {"sample, rounded",
     kSample,
     {-.00909423828125, .041015625, .041015625, -.00909423828125, .041015625, .041015625},
     {DType::kBFloat16},
     {}},
    // As it is printed, which uploads words of FLOAT to tensors of BFLOAT16.
    {"printed sample",
     {.rows = 2,
      .columns = 3,
      .grad_loss = {kSampleLow},
      .log_prob = {kSampleLow, -0.19921875, kSampleLow, -0.19921875, kSampleLow, -0.19921875},
      .target = {0, 0},
      .weight = {1, 1, 1}},
     {53739520, -44040192, -0.0, 9699328, -0.0, -44040192},
     {DType::kBFloat16},
     {}}};

// Also in the memory of logProb.
TEST_F(CrossEntropyLossGrad, Examples) {
  const Setting extensions("ACLIMB_EXTENSIONS", "1");
  for (const Example& example : kExamples) {
    for (const DType dtype : example.dtypes) {
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE(std::string(example.what) + ", " + std::string(NameOf(dtype)));
        const Values got = Compute(WithRows(example.problem), dtype, in_place);
        EXPECT_TRUE(Near(got, example.expected, example.tolerance));
        for (size_t i = 0; i < got.size(); ++i) {
          if (got[i] != 0 || example.expected[i] != 0) continue;
          EXPECT_EQ(std::signbit(got[i]), std::signbit(example.expected[i])) << i;
        }
      }
    }
  }
}

// Those without elements count as null; where the scale is 0 they may be anything.
TEST_F(CrossEntropyLossGrad, ZlossTensorsThatAreNotRead) {
  const Problem p = WithRows({.grad_loss = {3}});
  const DeviceTensor grad({}, DType::kFloat32, {3}), log_prob({3, 3}, DType::kFloat32, p.log_prob);
  const DeviceTensor target({3}, DType::kInt32, {0, 2, 1}), out({3, 3}, DType::kFloat32);
  const DeviceTensor empty({0}, DType::kFloat32), other({2, 0}, DType::kInt32);
  const DeviceTensor odd({5}, DType::kFloat16, {1, 2, 3, 4, 5});
  const DeviceTensor lse({3}, DType::kFloat32, {1, 2, 3});
  ACLIMB_EXPECT_OK(Run(p, grad, log_prob, target, nullptr, empty, other, out));
  EXPECT_TRUE(Near(out.Values(), kMeans, {0, 1e-6}));
  const Setting extensions("ACLIMB_EXTENSIONS", "1");
  for (const aclTensor* each : {empty.get(), odd.get()}) {
    ACLIMB_EXPECT_OK(Run(p, grad, log_prob, target, nullptr, each, each, out));
    EXPECT_TRUE(Near(out.Values(), kMeans, {0, 1e-6}));
  }
  Problem scaled = p;
  scaled.lse_square_scale = .5;
  ACLIMB_EXPECT_OK(Run(scaled, grad, log_prob, target, nullptr, empty, lse, out));
  scaled.lse = {1, 2, 3};
  EXPECT_EQ(out.Values(), Compute(scaled, DType::kFloat32));
}

// The reduction's text belongs to the caller again when phase 1 has returned.
TEST_F(CrossEntropyLossGrad, TheReductionIsCopiedInPhase1) {
  const Problem p = WithRows({});
  const DeviceTensor grad({}, DType::kFloat32, {3}), log_prob({3, 3}, DType::kFloat32, p.log_prob);
  const DeviceTensor target({3}, DType::kInt64, {0, 2, 1}), out({3, 3}, DType::kFloat32);
  char reduction[] = "mean";
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  // No call before has this ignoreIndex, so that the plan is made of this text.
  ACLIMB_ASSERT_OK(aclnnCrossEntropyLossGradGetWorkspaceSize(grad, log_prob, target, nullptr,
                                                             nullptr, nullptr, reduction, -7, 0, 0,
                                                             out, &size, &executor));
  std::fill_n(reduction, 4, 'x');
  ACLIMB_ASSERT_OK(aclnnCrossEntropyLossGrad(nullptr, 0, executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out.Values(), kMeans, {0, 1e-6}));
}

// The refusal of a reserved value says how to have it accepted.
TEST_F(CrossEntropyLossGrad, TheMessageNamesTheVariableThatAcceptsTheValue) {
  const DeviceTensor grad({}, DType::kFloat32), log_prob({2, 3}, DType::kFloat32);
  const DeviceTensor target({2}, DType::kInt64), out({2, 3}, DType::kFloat32);
  EXPECT_EQ(Run({.label_smoothing = 0.25}, grad, log_prob, target, nullptr, nullptr, nullptr, out),
            161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnCrossEntropyLossGradGetWorkspaceSize: labelSmoothing is 0.25; expected 0, the "
               "only value that the operator's document supports so far (ACLIMB_EXTENSIONS=1 "
               "accepts the others).\n"
               "  fix: pass 0, false for a flag, null for a tensor, or set ACLIMB_EXTENSIONS=1\n"
               "  rule: cross_entropy_loss_grad/reserved/labelSmoothing   code: 161002 "
               "ACLNN_ERR_PARAM_INVALID");
}

// What the document says, apart from the contract that the suite reads.
using Mutation = std::function<void(CallArguments&)>;

Mutation Tensor(int p, const std::vector<int64_t>& shape, DType dtype = DType::kFloat32,
                aclFormat format = ACL_FORMAT_ND) {
  return [=](CallArguments& a) { a.Tensor(p, shape, dtype, format); };
}
Mutation Real(int p, double value) {
  return [=](CallArguments& a) { a.Real(p, value); };
}
Mutation Null(int p) {
  return [=](CallArguments& a) { a.Null(p); };
}
Mutation Reduction(const char* text) {
  return [=](CallArguments& a) { a.String(kReduction, text); };
}
Mutation All(const std::vector<Mutation>& all) {
  return [=](CallArguments& a) {
    for (const Mutation& each : all) each(a);
  };
}

void FillValidCall(CallArguments& a) {
  for (const int p : {kLogProb, kXGradOut}) a.Tensor(p, {2, 3}, DType::kFloat32);
  a.Tensor(kGradLoss, {}, DType::kFloat32);
  a.Tensor(kTarget, {2}, DType::kInt64);
  a.Tensor(kWeight, {3}, DType::kFloat32);
  a.String(kReduction, "mean");
  a.Integer(kIgnoreIndex, -100);
}

class CrossEntropyLossGradContract : public ::testing::Test {
 protected:
  void ExpectRefused(const char* rule, const Mutation& mutate, int code = 161002) {
    harness_.ExpectViolation(std::string("cross_entropy_loss_grad/") + rule, code, mutate);
  }

  ContractHarness<decltype(aclnnCrossEntropyLossGradGetWorkspaceSize)> harness_{
      kContract, &aclnnCrossEntropyLossGradGetWorkspaceSize, &FillValidCall,
      aclimb::testing::Naming::kEach};
};

TEST_F(CrossEntropyLossGradContract, EveryRuleIsEnforcedAndExplained) {
  harness_.ExpectGenericRules();
  harness_.ExpectRule("reduction", Reduction("MEAN"));
  harness_.ExpectRule("range/labelSmoothing", Real(kLabelSmoothing, 1.1));
  harness_.ExpectRule("reserved/labelSmoothing", Real(kLabelSmoothing, 1));
  harness_.ExpectRule("reserved/lseSquareScaleForZloss", Real(kLseSquareScale, kNaN));
  harness_.ExpectRule("reserved/gradZlossOptional", Tensor(kGradZloss, {}));
  harness_.ExpectRule("reserved/lseForZlossOptional", Tensor(kLseForZloss, {2}));
  harness_.ExpectRule("shape/columns", All({Tensor(kLogProb, {2, 0}), Tensor(kXGradOut, {2, 0}),
                                            Tensor(kWeight, {0})}));
  harness_.ExpectRule("shape/gradLoss", Tensor(kGradLoss, {2}), {{"gradLoss", "reduction"}});
  harness_.ExpectRule("shape/gradLoss", Reduction("none"));
  {
    const Setting extensions("ACLIMB_EXTENSIONS", "1");
    const auto expect = [&](const char* rule, const Mutation& mutate,
                            const std::optional<std::set<std::string>>& related = {}) {
      harness_.ExpectRule(
          rule, All({Real(kLseSquareScale, 1e-4), Tensor(kLseForZloss, {2}), mutate}), related);
    };
    expect("zloss/lse-given", Null(kLseForZloss));
    expect("zloss/lse-given", Tensor(kLseForZloss, {0}));
    expect("zloss/dtype", Tensor(kLseForZloss, {2}, DType::kFloat16));
    expect("zloss/dtype", Tensor(kGradZloss, {}, DType::kInt32));
    expect("shape/lseForZlossOptional", Tensor(kLseForZloss, {3}));
    expect("shape/gradZlossOptional", Tensor(kGradZloss, {2}),
           {{"gradZlossOptional", "reduction"}});
    expect("shape/gradZlossOptional",
           All({Reduction("none"), Tensor(kGradLoss, {2}), Tensor(kGradZloss, {3})}));
  }
  const Setting product("ACLIMB_SOC", "Ascend910A");
  ExpectRefused("product", [](CallArguments&) {});
  harness_.ExpectEveryRuleCovered();
}

TEST_F(CrossEntropyLossGradContract, WhatIsAccepted) {
  for (const Mutation& accepted :
       {Null(kWeight), Null(kReduction), Tensor(kGradLoss, {1}), Real(kLabelSmoothing, -0.0),
        Tensor(kTarget, {2}, DType::kInt32),
        // Without elements they are not given, whatever else they are.
        All({Tensor(kGradZloss, {0}, DType::kInt32, ACL_FORMAT_FRACTAL_NZ),
             Tensor(kLseForZloss, {1, 1, 1, 1, 1, 1, 1, 1, 0}, DType::kFloat16)})}) {
    harness_.ExpectAccepted(accepted);
  }
  for (const char* soc : {"Ascend910B3", "Ascend910_9391", "Ascend950PR_9599"}) {
    const Setting product("ACLIMB_SOC", soc);
    harness_.ExpectAccepted();
  }
  const Setting product("ACLIMB_SOC", "Ascend310P3");
  ExpectRefused("product", [](CallArguments&) {});
}

TEST_F(CrossEntropyLossGradContract, OtherDTypesAreRefused) {
  ExpectRefused("dtype/weightOptional", Tensor(kWeight, {3}, DType::kFloat16));
  ExpectRefused("dtype/target", Tensor(kTarget, {2}, DType::kUInt8));
  ExpectRefused("dtype/target", Tensor(kTarget, {2}, DType::kFloat32));
  ExpectRefused("dtype/gradLoss", Tensor(kGradLoss, {}, DType::kFloat64));
}

// Nulls, dtypes, attributes, shapes; also of tensors without rows.
TEST_F(CrossEntropyLossGradContract, TheDocumentedOrder) {
  const Mutation dtype = Tensor(kLogProb, {2, 3, 4}, DType::kFloat16);
  const Mutation shape = Tensor(kTarget, {7}, DType::kInt64);
  ExpectRefused("null/xGradOut", All({dtype, Reduction("MEAN"), Null(kXGradOut)}), 161001);
  ExpectRefused("same-dtype/logProb", All({dtype, Reduction("MEAN"), shape}));
  ExpectRefused("reduction", All({Reduction("MEAN"), shape}));
  ExpectRefused("shape/target", shape, 561002);
  ExpectRefused("shape/xGradOut",
                All({Tensor(kLogProb, {0, 3}), Tensor(kTarget, {0}, DType::kInt64),
                     Tensor(kXGradOut, {0, 4})}),
                561002);
}

}  // namespace
}  // namespace aclimb::cross_entropy_loss_grad

namespace aclimb::testing::cross_entropy_loss_grad_test {

ACLIMB_OPERATOR_SUITE(CrossEntropyLossGrad, cross_entropy_loss_grad::kOperators);

}  // namespace aclimb::testing::cross_entropy_loss_grad_test
