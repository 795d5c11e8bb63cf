// The operator through its C interface: results, refusals and edge cases.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/ops/cross_entropy_loss_grad/contract.h"
#include "aclimb/ops/cross_entropy_loss_grad/operators.h"
#include "aclimb/ops/cross_entropy_loss_grad/truth.h"
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
using aclimb::testing::Random;
using aclimb::testing::Rounded;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Setting;
using aclimb::testing::Tolerance;

using Values = std::vector<double>;
using Harness = ContractHarness<decltype(aclnnCrossEntropyLossGradGetWorkspaceSize)>;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

// Half a unit for the rounding of the result; absolutely, the cancellation of P - 1.
Tolerance ToleranceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {6e-4, 5e-5};
    case DType::kBFloat16:
      return {5e-3, 5e-5};
    default:
      return {1e-6, 1e-6};
  }
}

struct Tensors {
  const aclTensor* weight = nullptr;
  const aclTensor* grad_zloss = nullptr;
  const aclTensor* lse = nullptr;
};

struct Attributes {
  const char* reduction = "mean";
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  double lse_square_scale = 0;
};

class CrossEntropyLossGrad : public aclimb::testing::DeviceTest {
 protected:
  int Run(const DeviceTensor& grad, const DeviceTensor& log_prob, const DeviceTensor& target,
          const DeviceTensor& out, const Attributes& attributes = {},
          const Tensors& optional = {}) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          const int code = aclnnCrossEntropyLossGradGetWorkspaceSize(
              grad, log_prob, target, optional.weight, optional.grad_zloss, optional.lse,
              attributes.reduction, attributes.ignore_index, attributes.label_smoothing,
              attributes.lse_square_scale, out, size, executor);
          EXPECT_EQ(code == 0 ? *size : 0, 0u);
          return code;
        },
        &aclnnCrossEntropyLossGrad, stream_);
  }

  // Contiguous tensors of one dtype, made from the problem.
  Values Compute(const Problem& p, DType dtype = DType::kFloat32,
                 DType target_dtype = DType::kInt64) {
    const std::vector<int64_t> loss_shape =
        p.reduction == "none" ? std::vector<int64_t>{p.rows} : std::vector<int64_t>{};
    const DeviceTensor grad(loss_shape, dtype, p.grad_loss);
    const DeviceTensor log_prob({p.rows, p.columns}, dtype, p.log_prob);
    const DeviceTensor target({p.rows}, target_dtype, Values(p.target.begin(), p.target.end()));
    std::unique_ptr<DeviceTensor> weight, grad_zloss, lse;
    if (!p.weight.empty()) {
      weight = std::make_unique<DeviceTensor>(std::vector<int64_t>{p.columns}, DType::kFloat32,
                                              p.weight);
    }
    if (!p.grad_zloss.empty()) {
      grad_zloss = std::make_unique<DeviceTensor>(loss_shape, dtype, p.grad_zloss);
    }
    if (!p.lse.empty()) {
      lse = std::make_unique<DeviceTensor>(std::vector<int64_t>{p.rows}, dtype, p.lse);
    }
    const DeviceTensor out({p.rows, p.columns}, dtype);
    const auto get = [](const auto& tensor) { return tensor ? tensor->get() : nullptr; };
    ACLIMB_EXPECT_OK(Run(
        grad, log_prob, target, out,
        {std::string(p.reduction).c_str(), p.ignore_index, p.label_smoothing, p.lse_square_scale},
        {get(weight), get(grad_zloss), get(lse)}));
    EXPECT_TRUE(out.SurroundingsIntact());
    return out.Values();
  }
};

// Section 8: three rows whose probabilities are powers of two (the second row is not a
// distribution, and need not be).
Problem Eighths() {
  Problem p{.rows = 3, .columns = 3};
  for (double probability : {.5, .25, .25, .125, .125, .75, .25, .5, .25}) {
    p.log_prob.push_back(std::log(probability));
  }
  p.target = {0, 2, 1};
  return p;
}

TEST_F(CrossEntropyLossGrad, Case1None) {
  Problem p = Eighths();
  p.reduction = "none";
  p.grad_loss = {1, 2, 4};
  EXPECT_TRUE(Near(Compute(p), {-.5, .25, .25, .25, .25, -.5, 1, -2, 1}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case2Sum) {
  Problem p = Eighths();
  p.reduction = "sum";
  p.grad_loss = {2};
  EXPECT_TRUE(Near(Compute(p), {-1, .5, .5, .25, .25, -.5, .5, -1, .5}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case3Mean) {
  Problem p = Eighths();
  p.grad_loss = {3};
  const Values expected = {-.5, .25, .25, .125, .125, -.25, .25, -.5, .25};
  EXPECT_TRUE(Near(Compute(p), expected, {0, 1e-6}));
  EXPECT_TRUE(Near(Compute(p, DType::kFloat32, DType::kInt32), expected, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case4MeanWithWeight) {
  Problem p = Eighths();
  p.grad_loss = {7};
  p.weight = {1, 2, 4};
  EXPECT_TRUE(Near(Compute(p), {-.5, .25, .25, .5, .5, -1, .5, -1, .5}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case5MeanWithWeightAndIgnoredClass) {
  Problem p = Eighths();
  p.grad_loss = {3};
  p.weight = {1, 2, 4};
  p.ignore_index = 2;
  EXPECT_TRUE(Near(Compute(p), {-.5, .25, .25, 0, 0, 0, .5, -1, .5}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case6SumWithIgnoredClass) {
  Problem p = Eighths();
  p.reduction = "sum";
  p.grad_loss = {1};
  p.ignore_index = 0;
  EXPECT_TRUE(Near(Compute(p), {0, 0, 0, .125, .125, -.25, .25, -.5, .25}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case7LabelSmoothing) {
  const Setting extensions("ACLIMB_EXTENSIONS", "1");
  Problem p = Eighths();
  p.reduction = "sum";
  p.grad_loss = {1};
  p.label_smoothing = .3;
  EXPECT_TRUE(Near(Compute(p), {-.3, .15, .15, .025, .025, -.05, .15, -.3, .15}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case8LabelSmoothingWithWeightAndIgnoredClass) {
  const Setting extensions("ACLIMB_EXTENSIONS", "1");
  Problem p = Eighths();
  p.grad_loss = {3};
  p.weight = {1, 2, 4};
  p.label_smoothing = .3;
  p.ignore_index = 2;
  EXPECT_TRUE(Near(Compute(p), {-.1, .15, -.05, 0, 0, 0, .425, -.55, .125}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case9ZlossOfEachRow) {
  const Setting extensions("ACLIMB_EXTENSIONS", "1");
  Problem p = Eighths();
  p.reduction = "none";
  p.grad_loss = {1, 1, 1};
  p.lse_square_scale = .5;
  p.lse = {1, 2, 3};
  EXPECT_TRUE(Near(Compute(p), {0, .5, .5, .375, .375, 1.25, 1, 1, 1}, {0, 2e-6}));
}

TEST_F(CrossEntropyLossGrad, Case10ZlossOfTheMean) {
  const Setting extensions("ACLIMB_EXTENSIONS", "1");
  Problem p = Eighths();
  p.grad_loss = {3};
  p.grad_zloss = {1};
  p.ignore_index = 2;
  p.lse_square_scale = .5;
  p.lse = {1, 2, 3};
  EXPECT_TRUE(Near(Compute(p), {.25, .875, .875, 0, 0, 0, 1.875, 2.25, 1.875}, {0, 2e-6}));
}

// With D = 0 ignored rows are zero all the same; the others follow IEEE.
TEST_F(CrossEntropyLossGrad, Case11EveryTargetIgnored) {
  for (const char* reduction : {"none", "mean", "sum"}) {
    Problem p = Eighths();
    p.reduction = reduction;
    p.grad_loss = Values(p.reduction == "none" ? 3 : 1, 5.0);
    p.target = {-100, -100, -100};
    EXPECT_TRUE(Near(Compute(p), Values(9, 0.0), {})) << reduction;
  }
  Problem p = Eighths();
  p.grad_loss = {5};
  p.weight = {0, 0, 0};
  p.target = {-100, 1, -100};
  EXPECT_TRUE(Near(Compute(p), {0, 0, 0, kNaN, kNaN, kNaN, 0, 0, 0}, {}));
}

TEST_F(CrossEntropyLossGrad, Case12IgnoredTargetsOutsideTheClassesReadNoWeight) {
  Problem p = Eighths();
  p.grad_loss = {5};
  p.weight = {1, 2, 4};
  p.target = {-100, 2, -100};
  EXPECT_TRUE(Near(Compute(p), {0, 0, 0, 5. / 8, 5. / 8, -5. / 4, 0, 0, 0}, {0, 1e-6}));
  // Targets that are no class and not ignoreIndex either.
  for (int64_t wild : {int64_t{3}, int64_t{-1}, std::numeric_limits<int64_t>::max(),
                       std::numeric_limits<int64_t>::min(), int64_t{1} << 32}) {
    p.target = {wild, 2, wild};
    EXPECT_TRUE(Near(Compute(p), {0, 0, 0, 5. / 8, 5. / 8, -5. / 4, 0, 0, 0}, {0, 1e-6})) << wild;
  }
  // Labels compare as integers, also beyond what float32 can tell apart.
  p.ignore_index = (int64_t{1} << 32) + 2;
  p.target = {p.ignore_index, 2, p.ignore_index};
  EXPECT_TRUE(Near(Compute(p), {0, 0, 0, 5. / 8, 5. / 8, -5. / 4, 0, 0, 0}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case13GradLossOfRankZeroOrOneElement) {
  const Problem p = Eighths();
  const DeviceTensor log_prob({3, 3}, DType::kFloat32, p.log_prob);
  const DeviceTensor target({3}, DType::kInt64, {0, 2, 1});
  const DeviceTensor scalar({}, DType::kFloat32, {3});
  const DeviceTensor one({1}, DType::kFloat32, {3});
  const DeviceTensor two({2}, DType::kFloat32, {3, 3});
  for (const char* reduction : {"mean", "sum"}) {
    const DeviceTensor a({3, 3}, DType::kFloat32);
    const DeviceTensor b({3, 3}, DType::kFloat32);
    ACLIMB_EXPECT_OK(Run(scalar, log_prob, target, a, {.reduction = reduction}));
    ACLIMB_EXPECT_OK(Run(one, log_prob, target, b, {.reduction = reduction}));
    EXPECT_EQ(a.Bytes(), b.Bytes());
    EXPECT_EQ(Run(two, log_prob, target, a, {.reduction = reduction}), 561002);
  }
  const DeviceTensor out({3, 3}, DType::kFloat32);
  EXPECT_EQ(Run(scalar, log_prob, target, out, {.reduction = "none"}), 561002);
  EXPECT_EQ(Run(one, log_prob, target, out, {.reduction = "none"}), 561002);
}

TEST_F(CrossEntropyLossGrad, Case14EmptyZlossTensorsCountAsNull) {
  const Problem p = Eighths();
  const DeviceTensor grad({}, DType::kFloat32, {3});
  const DeviceTensor log_prob({3, 3}, DType::kFloat32, p.log_prob);
  const DeviceTensor target({3}, DType::kInt64, {0, 2, 1});
  const DeviceTensor empty({0}, DType::kFloat32);
  const DeviceTensor empty_of_another_dtype({2, 0}, DType::kInt32);
  const DeviceTensor out({3, 3}, DType::kFloat32);
  for (const char* extensions : {"0", "1"}) {
    const Setting setting("ACLIMB_EXTENSIONS", extensions);
    ACLIMB_EXPECT_OK(
        Run(grad, log_prob, target, out, {}, {.grad_zloss = empty, .lse = empty_of_another_dtype}));
    EXPECT_TRUE(Near(out.Values(), {-.5, .25, .25, .125, .125, -.25, .25, -.5, .25}, {0, 1e-6}));
  }
}

// With the extensions on and the scale 0, z-loss tensors are ignored whatever they are.
TEST_F(CrossEntropyLossGrad, ZlossTensorsAreIgnoredWhenTheScaleIsZero) {
  const Setting extensions("ACLIMB_EXTENSIONS", "1");
  const Problem p = Eighths();
  const DeviceTensor grad({}, DType::kFloat32, {3});
  const DeviceTensor log_prob({3, 3}, DType::kFloat32, p.log_prob);
  const DeviceTensor target({3}, DType::kInt64, {0, 2, 1});
  const DeviceTensor odd({5}, DType::kFloat16, {1, 2, 3, 4, 5});
  const DeviceTensor out({3, 3}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(grad, log_prob, target, out, {}, {.grad_zloss = odd, .lse = odd}));
  EXPECT_TRUE(Near(out.Values(), {-.5, .25, .25, .125, .125, -.25, .25, -.5, .25}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case15OneClassAndOneRow) {
  Problem p{.rows = 3, .columns = 1, .reduction = "sum", .grad_loss = {2}};
  p.log_prob = {0, -1, 0};
  p.target = {0, 0, 0};
  EXPECT_TRUE(Near(Compute(p), {0, 2 * (std::exp(-1) - 1), 0}, {0, 1e-6}));
  Problem row{.rows = 1, .columns = 2, .reduction = "none", .grad_loss = {2}};
  row.log_prob = {-1, -2};
  row.target = {1};
  EXPECT_TRUE(Near(Compute(row), {2 * std::exp(-1), 2 * (std::exp(-2) - 1)}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, Case16ManyClassesManyRowsAndOddWidths) {
  Random random(1);
  for (const auto& [rows, columns] :
       {std::pair<int64_t, int64_t>{2, 151936}, {201003, 2}, {17, 1001}, {5, 67}}) {
    for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      Problem p{.rows = rows, .columns = columns, .reduction = "none"};
      for (double value : random.Reals(rows * columns, -8, 0)) {
        p.log_prob.push_back(Rounded(value, dtype));
      }
      for (int64_t n = 0; n < rows; ++n) {
        p.target.push_back(random.Chance(0.1) ? -100 : random.Integer(0, columns - 1));
        p.grad_loss.push_back(Rounded(random.Real(-1, 1), dtype));
      }
      ASSERT_TRUE(Near(Compute(p, dtype), Truth(p), ToleranceOf(dtype)))
          << rows << " x " << columns << ' ' << NameOf(dtype);
    }
  }
}

TEST_F(CrossEntropyLossGrad, Case17InfinitelyUnlikelyClassesAndACertainTarget) {
  Problem p{.rows = 1, .columns = 3, .reduction = "sum", .grad_loss = {2}};
  p.log_prob = {0, -kInf, -kInf};
  p.target = {0};
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    EXPECT_TRUE(Near(Compute(p, dtype), {0, 0, 0}, {})) << NameOf(dtype);
  }
}

// Case 21; cases 18 to 20 are in the contract tests below.
TEST_F(CrossEntropyLossGrad, Case21NoRowsSucceedAndAreStillChecked) {
  const DeviceTensor none({0}, DType::kFloat32);
  const DeviceTensor scalar({}, DType::kFloat32, {1});
  const DeviceTensor log_prob({0, 3}, DType::kFloat32);
  const DeviceTensor target({0}, DType::kInt64);
  const DeviceTensor out({0, 3}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(none, log_prob, target, out, {.reduction = "none"}));
  ACLIMB_EXPECT_OK(Run(scalar, log_prob, target, out, {.reduction = "mean"}));
  const DeviceTensor other({0, 4}, DType::kFloat32);
  EXPECT_EQ(Run(scalar, log_prob, target, other), 561002);
  EXPECT_EQ(Run(scalar, log_prob, target, out, {.reduction = "MEAN"}), 161002);
}

TEST_F(CrossEntropyLossGrad, Case22AClassOfWeightZero) {
  Problem p = Eighths();
  p.grad_loss = {3};
  p.weight = {1, 2, 0};
  EXPECT_TRUE(Near(Compute(p), {-.5, .25, .25, 0, 0, 0, .5, -1, .5}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, ANullReductionIsTheMean) {
  const Problem p = Eighths();
  const DeviceTensor grad({}, DType::kFloat32, {3});
  const DeviceTensor log_prob({3, 3}, DType::kFloat32, p.log_prob);
  const DeviceTensor target({3}, DType::kInt64, {0, 2, 1});
  const DeviceTensor out({3, 3}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(grad, log_prob, target, out, {.reduction = nullptr}));
  EXPECT_TRUE(Near(out.Values(), {-.5, .25, .25, .125, .125, -.25, .25, -.5, .25}, {0, 1e-6}));
}

// The reduction's text belongs to the caller again when phase 1 has returned.
TEST_F(CrossEntropyLossGrad, TheReductionIsCopiedInPhase1) {
  const Problem p = Eighths();
  const DeviceTensor grad({}, DType::kFloat32, {3});
  const DeviceTensor log_prob({3, 3}, DType::kFloat32, p.log_prob);
  const DeviceTensor target({3}, DType::kInt64, {0, 2, 1});
  const DeviceTensor out({3, 3}, DType::kFloat32);
  char reduction[] = "mean";
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ACLIMB_ASSERT_OK(aclnnCrossEntropyLossGradGetWorkspaceSize(grad, log_prob, target, nullptr,
                                                             nullptr, nullptr, reduction, -100, 0,
                                                             0, out, &size, &executor));
  std::fill_n(reduction, 4, 'x');
  ACLIMB_ASSERT_OK(aclnnCrossEntropyLossGrad(nullptr, 0, executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out.Values(), {-.5, .25, .25, .125, .125, -.25, .25, -.5, .25}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, SeedSampleAsIntended) {
  Problem p{.rows = 2, .columns = 3, .grad_loss = {0.1}};
  p.log_prob = Values(6, -0.2);
  p.target = {0, 0};
  p.weight = {1, 1, 1};
  const auto expected = [](double target, double other) {
    return Values{target, other, other, target, other, other};
  };
  EXPECT_TRUE(Near(Compute(p), expected(-0.00906346, 0.04093654), {0, 1e-8}));
  EXPECT_TRUE(Near(Compute(p, DType::kFloat16), expected(-0.009056, 0.04092), {5e-4, 0}));
  EXPECT_TRUE(Near(Compute(p, DType::kBFloat16), expected(-0.00909423828125, 0.041015625), {}));
}

// The sample as printed uploads float32 words into BFLOAT16 tensors.
TEST_F(CrossEntropyLossGrad, SeedSampleAsWritten) {
  const double low = -107479040;
  Problem p{.rows = 2, .columns = 3, .grad_loss = {low}};
  p.log_prob = {low, -0.19921875, low, -0.19921875, low, -0.19921875};
  p.target = {0, 0};
  p.weight = {1, 1, 1};
  const Values got = Compute(p, DType::kBFloat16);
  EXPECT_TRUE(Near(got, {53739520, -44040192, 0, 9699328, 0, -44040192}, {}));
  EXPECT_TRUE(std::signbit(got[2]));
  EXPECT_TRUE(std::signbit(got[4]));
}

TEST_F(CrossEntropyLossGrad, StridedOffsetAndExpandedViews) {
  Random random(2);
  const Values log_prob = random.Reals(4 * 70, -6, 0);
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    Problem p{.rows = 4, .columns = 70, .reduction = "none"};
    for (double value : log_prob) p.log_prob.push_back(Rounded(value, dtype));
    p.grad_loss = Values(4, 0.5);
    p.target = {7, -100, 69, 0};
    for (double value : random.Reals(70, 0, 2)) {
      p.weight.push_back(Rounded(value, DType::kFloat32));
    }
    const DeviceTensor grad({4}, dtype, p.grad_loss, {.stride = {0}});
    const DeviceTensor target({4}, DType::kInt32, {7, -100, 69, 0}, {.stride = {3}, .offset = 1});
    const DeviceTensor weight({70}, DType::kFloat32, p.weight, {.stride = {2}, .offset = 3});
    const DeviceTensor in({4, 70}, dtype, p.log_prob, {.stride = {1, 4}, .offset = 5});
    for (const std::vector<int64_t>& stride :
         {std::vector<int64_t>{70, 1}, {1, 5}, {73, 1}, {200, 2}}) {
      const DeviceTensor out({4, 70}, dtype, {}, {.stride = stride, .offset = 1});
      ACLIMB_ASSERT_OK(Run(grad, in, target, out, {.reduction = "none"}, {.weight = weight}));
      EXPECT_TRUE(Near(out.Values(), Truth(p), ToleranceOf(dtype))) << NameOf(dtype);
      EXPECT_TRUE(out.SurroundingsIntact());
    }
  }
  // One row of logarithms and one class, repeated.
  const DeviceTensor grad({}, DType::kFloat32, {1});
  const DeviceTensor row({3, 2}, DType::kFloat32, {-1, -2, -1, -2, -1, -2}, {.stride = {0, 1}});
  const DeviceTensor target({3}, DType::kInt64, {1, 1, 1}, {.stride = {0}});
  const DeviceTensor out({3, 2}, DType::kFloat32);
  ACLIMB_ASSERT_OK(Run(grad, row, target, out, {.reduction = "sum"}));
  const double a = std::exp(-1);
  const double b = std::exp(-2) - 1;
  EXPECT_TRUE(Near(out.Values(), {a, b, a, b, a, b}, {1e-6, 0}));
}

TEST_F(CrossEntropyLossGrad, InPlaceOnLogProb) {
  const Problem p = Eighths();
  const DeviceTensor grad({}, DType::kFloat32, {3});
  const DeviceTensor both({3, 3}, DType::kFloat32, p.log_prob);
  const DeviceTensor target({3}, DType::kInt64, {0, 2, 1});
  ACLIMB_ASSERT_OK(Run(grad, both, target, both));
  EXPECT_TRUE(Near(both.Values(), {-.5, .25, .25, .125, .125, -.25, .25, -.5, .25}, {0, 1e-6}));
}

TEST_F(CrossEntropyLossGrad, RandomProblemsCrossEveryFeature) {
  const Setting extensions("ACLIMB_EXTENSIONS", "1");
  Random random(3);
  for (int round = 0; round < 120; ++round) {
    const DType dtypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
    const char* const reductions[] = {"none", "mean", "sum"};
    const DType dtype = dtypes[random.Integer(0, 2)];
    Problem p;
    p.rows = random.Integer(1, 9);
    p.columns = random.Chance(0.5) ? random.Integer(1, 40) : random.Integer(41, 300);
    p.reduction = reductions[random.Integer(0, 2)];
    p.ignore_index = random.Chance(0.5) ? -100 : random.Integer(0, p.columns - 1);
    const auto reals = [&](int64_t count, double low, double high, DType as) {
      Values values = random.Reals(count, low, high);
      for (double& value : values) value = Rounded(value, as);
      return values;
    };
    const int64_t losses = p.reduction == "none" ? p.rows : 1;
    p.log_prob = reals(p.rows * p.columns, -8, 0, dtype);
    p.grad_loss = reals(losses, -1, 1, dtype);
    for (int64_t n = 0; n < p.rows; ++n) {
      p.target.push_back(random.Chance(0.2) ? p.ignore_index : random.Integer(0, p.columns - 1));
    }
    if (random.Chance(0.5)) p.weight = reals(p.columns, 0.5, 1.5, DType::kFloat32);
    if (random.Chance(0.4)) p.label_smoothing = random.Real(0, 1);
    if (random.Chance(0.4)) {
      p.lse_square_scale = random.Real(-0.3, 0.3);
      p.lse = reals(p.rows, 0, 2, dtype);
      if (random.Chance(0.5)) p.grad_zloss = reals(losses, -1, 1, dtype);
    }
    ASSERT_TRUE(Near(Compute(p, dtype, random.Chance(0.5) ? DType::kInt64 : DType::kInt32),
                     Truth(p), ToleranceOf(dtype)))
        << "round " << round << ": " << p.rows << " x " << p.columns << ' ' << NameOf(dtype) << ' '
        << p.reduction;
  }
}

void FillValidCall(CallArguments& arguments) {
  arguments.Tensor(kGradLoss, {}, DType::kFloat32);
  arguments.Tensor(kLogProb, {2, 3}, DType::kFloat32);
  arguments.Tensor(kTarget, {2}, DType::kInt64);
  arguments.Tensor(kWeight, {3}, DType::kFloat32);
  arguments.Null(kGradZloss);
  arguments.Null(kLseForZloss);
  arguments.String(kReduction, "mean");
  arguments.Integer(kIgnoreIndex, -100);
  arguments.Real(kLabelSmoothing, 0);
  arguments.Real(kLseSquareScale, 0);
  arguments.Tensor(kXGradOut, {2, 3}, DType::kFloat32);
}

Harness MakeHarness() {
  return Harness(kContract, &aclnnCrossEntropyLossGradGetWorkspaceSize, &FillValidCall,
                 aclimb::testing::Naming::kEach);
}

// Cases 18 to 20 of section 8 among them.
TEST(CrossEntropyLossGradContract, EveryRuleIsEnforcedAndExplained) {
  Harness harness = MakeHarness();
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Null(kWeight); });
  // Without elements they are not given, whatever else they are.
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kGradZloss, {0}, DType::kInt32, ACL_FORMAT_FRACTAL_NZ);
    a.Tensor(kLseForZloss, {1, 1, 1, 1, 1, 1, 1, 1, 0}, DType::kFloat16);
  });
  harness.ExpectAccepted([](CallArguments& a) { a.Null(kReduction); });
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(kGradLoss, {1}, DType::kFloat32); });
  harness.ExpectAccepted([](CallArguments& a) { a.Integer(kIgnoreIndex, 1000); });
  harness.ExpectAccepted([](CallArguments& a) { a.Real(kLabelSmoothing, -0.0); });
  harness.ExpectGenericRules();
  // Dtypes come before ranks, whose code is another.
  harness.ExpectViolation("cross_entropy_loss_grad/same-dtype/logProb", 161002,
                          [](CallArguments& a) {
                            a.Tensor(kLogProb, {2, 3, 4}, DType::kFloat16);
                          });
  for (const char* reduction : {"MEAN", "", "mean ", "batchmean"}) {
    harness.ExpectRule("reduction", [&](CallArguments& a) { a.String(kReduction, reduction); });
  }
  for (double smoothing : {-0.1, 1.1, kNaN, kInf}) {
    harness.ExpectRule("range/labelSmoothing",
                       [&](CallArguments& a) { a.Real(kLabelSmoothing, smoothing); });
  }
  for (double smoothing : {0.1, 1.0}) {
    harness.ExpectRule("reserved/labelSmoothing",
                       [&](CallArguments& a) { a.Real(kLabelSmoothing, smoothing); });
  }
  for (double scale : {1e-4, -1.0, kNaN}) {
    harness.ExpectRule("reserved/lseSquareScaleForZloss",
                       [&](CallArguments& a) { a.Real(kLseSquareScale, scale); });
  }
  harness.ExpectRule("reserved/gradZlossOptional",
                     [](CallArguments& a) { a.Tensor(kGradZloss, {}, DType::kFloat32); });
  harness.ExpectRule("reserved/lseForZlossOptional",
                     [](CallArguments& a) { a.Tensor(kLseForZloss, {2}, DType::kFloat32); });
  harness.ExpectRule("shape/columns", [](CallArguments& a) {
    a.Tensor(kLogProb, {2, 0}, DType::kFloat32);
    a.Tensor(kXGradOut, {2, 0}, DType::kFloat32);
    a.Tensor(kWeight, {0}, DType::kFloat32);
  });
  harness.ExpectRule("shape/gradLoss",
                     [](CallArguments& a) { a.Tensor(kGradLoss, {2}, DType::kFloat32); },
                     {{"gradLoss", "reduction"}});
  harness.ExpectRule("shape/gradLoss", [](CallArguments& a) { a.String(kReduction, "none"); });
  {
    const Setting extensions("ACLIMB_EXTENSIONS", "1");
    const auto with_zloss = [](CallArguments& a) {
      a.Real(kLseSquareScale, 1e-4);
      a.Tensor(kLseForZloss, {2}, DType::kFloat32);
    };
    harness.ExpectAccepted(with_zloss);
    harness.ExpectAccepted([](CallArguments& a) { a.Real(kLabelSmoothing, 1); });
    harness.ExpectRule("zloss/lse-given", [](CallArguments& a) { a.Real(kLseSquareScale, 1e-4); });
    harness.ExpectRule("zloss/lse-given", [](CallArguments& a) {
      a.Real(kLseSquareScale, 1e-4);
      a.Tensor(kLseForZloss, {0}, DType::kFloat32);
    });
    harness.ExpectRule("zloss/dtype", [&](CallArguments& a) {
      with_zloss(a);
      a.Tensor(kLseForZloss, {2}, DType::kFloat16);
    });
    harness.ExpectRule("zloss/dtype", [&](CallArguments& a) {
      with_zloss(a);
      a.Tensor(kGradZloss, {}, DType::kInt32);
    });
    harness.ExpectRule("shape/lseForZlossOptional", [&](CallArguments& a) {
      with_zloss(a);
      a.Tensor(kLseForZloss, {3}, DType::kFloat32);
    });
    harness.ExpectRule("shape/gradZlossOptional",
                       [&](CallArguments& a) {
                         with_zloss(a);
                         a.Tensor(kGradZloss, {2}, DType::kFloat32);
                       },
                       {{"gradZlossOptional", "reduction"}});
    harness.ExpectRule("shape/gradZlossOptional", [&](CallArguments& a) {
      with_zloss(a);
      a.String(kReduction, "none");
      a.Tensor(kGradLoss, {2}, DType::kFloat32);
      a.Tensor(kGradZloss, {3}, DType::kFloat32);
    });
  }
  for (const char* soc : {"Ascend310P3", "Ascend910A"}) {
    const Setting product("ACLIMB_SOC", soc);
    harness.ExpectViolation("cross_entropy_loss_grad/product", 161002, [](CallArguments&) {});
  }
  for (const char* soc : {"Ascend910B3", "Ascend910_9391", "Ascend950PR_9599"}) {
    const Setting product("ACLIMB_SOC", soc);
    harness.ExpectAccepted();
  }
  harness.ExpectEveryRuleCovered();
}

TEST(CrossEntropyLossGradContract, OtherDTypesAreRefused) {
  Harness harness = MakeHarness();
  harness.ExpectViolation("cross_entropy_loss_grad/dtype/weightOptional", 161002,
                          [](CallArguments& a) { a.Tensor(kWeight, {3}, DType::kFloat16); });
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt16, DType::kUInt8}) {
    harness.ExpectViolation("cross_entropy_loss_grad/dtype/target", 161002,
                            [&](CallArguments& a) { a.Tensor(kTarget, {2}, dtype); });
  }
  harness.ExpectViolation("cross_entropy_loss_grad/dtype/gradLoss", 161002,
                          [](CallArguments& a) { a.Tensor(kGradLoss, {}, DType::kFloat64); });
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(kTarget, {2}, DType::kInt32); });
}

TEST(CrossEntropyLossGradContract, NullOutranksEverythingElse) {
  Harness harness = MakeHarness();
  harness.ExpectViolation("cross_entropy_loss_grad/null/xGradOut", 161001, [](CallArguments& a) {
    a.Tensor(kLogProb, {2, 3, 4}, DType::kInt32);
    a.String(kReduction, "MEAN");
    a.Null(kXGradOut);
  });
}

// Dtypes precede attributes, and attributes precede shapes.
TEST(CrossEntropyLossGradContract, TheDocumentedOrder) {
  Harness harness = MakeHarness();
  harness.ExpectViolation("cross_entropy_loss_grad/same-dtype/logProb", 161002,
                          [](CallArguments& a) {
                            a.Tensor(kLogProb, {2, 3}, DType::kFloat16);
                            a.String(kReduction, "MEAN");
                            a.Tensor(kTarget, {7}, DType::kInt64);
                          });
  harness.ExpectViolation("cross_entropy_loss_grad/reduction", 161002, [](CallArguments& a) {
    a.String(kReduction, "MEAN");
    a.Tensor(kTarget, {7}, DType::kInt64);
  });
}

// The refusal of a reserved value says how to have it accepted.
TEST(CrossEntropyLossGradContract, TheMessageNamesTheVariableThatAcceptsTheValue) {
  CallArguments a(11);
  FillValidCall(a);
  (void)aclGetRecentErrMsg();
  const auto tensor = [&](int index) {
    return static_cast<aclTensor*>(const_cast<void*>(a.At(index).handle));
  };
  uint64_t size;
  aclOpExecutor* executor;
  EXPECT_EQ(aclnnCrossEntropyLossGradGetWorkspaceSize(
                tensor(kGradLoss), tensor(kLogProb), tensor(kTarget), nullptr, nullptr, nullptr,
                "mean", -100, 0.25, 0, tensor(kXGradOut), &size, &executor),
            161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnCrossEntropyLossGradGetWorkspaceSize: labelSmoothing is 0.25; expected 0, the "
               "only value that the operator's document supports so far (ACLIMB_EXTENSIONS=1 "
               "accepts the others).\n"
               "  fix: pass 0, false for a flag, null for a tensor, or set ACLIMB_EXTENSIONS=1\n"
               "  rule: cross_entropy_loss_grad/reserved/labelSmoothing   code: 161002 "
               "ACLNN_ERR_PARAM_INVALID");
}

// Phase 2 asks for no workspace, so any workspace will do, and an executor runs once.
TEST_F(CrossEntropyLossGrad, PhaseTwoRules) {
  const Problem p = Eighths();
  const DeviceTensor grad({}, DType::kFloat32, {3});
  const DeviceTensor log_prob({3, 3}, DType::kFloat32, p.log_prob);
  const DeviceTensor target({3}, DType::kInt64, {0, 2, 1});
  const DeviceTensor out({3, 3}, DType::kFloat32);
  EXPECT_EQ(aclnnCrossEntropyLossGrad(nullptr, 0, nullptr, stream_), 161001);
  const auto phase1 = [&] {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ACLIMB_EXPECT_OK(aclnnCrossEntropyLossGradGetWorkspaceSize(grad, log_prob, target, nullptr,
                                                               nullptr, nullptr, "mean", -100, 0, 0,
                                                               out, &size, &executor));
    return executor;
  };
  aclOpExecutor* executor = phase1();
  ACLIMB_EXPECT_OK(aclnnCrossEntropyLossGrad(nullptr, 0, executor, stream_));
  EXPECT_EQ(aclnnCrossEntropyLossGrad(nullptr, 0, executor, stream_), 561103);
  EXPECT_EQ(aclnnCrossEntropyLossGrad(nullptr, 64, phase1(), stream_), 161001);
  ACLIMB_EXPECT_OK(aclrtSynchronizeStream(stream_));
}

}  // namespace
}  // namespace aclimb::cross_entropy_loss_grad

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(CrossEntropyLossGrad, cross_entropy_loss_grad::kOperators);

}  // namespace aclimb::testing
