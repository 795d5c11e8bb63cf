// What is particular to the operators; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/ops/losses/loss_plan.h"
#include "aclimb/ops/losses/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::losses_test {

ACLIMB_OPERATOR_SUITE(Losses, losses::kOperators);

}  // namespace aclimb::testing::losses_test

namespace aclimb::losses {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;

class Losses : public aclimb::testing::DeviceTest {
 protected:
  int L1Loss(const DeviceTensor& self, const DeviceTensor& target, int64_t reduction,
             const DeviceTensor& out) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnL1LossGetWorkspaceSize(self, target, reduction, out, size, executor);
        },
        &aclnnL1Loss, stream_);
  }
};

TEST_F(Losses, MeanAndSumOfNothing) {
  const DeviceTensor self({0, 3}, DType::kFloat32), target({3}, DType::kFloat32, {1, 2, 3});
  const DeviceTensor out({}, DType::kFloat32);
  ACLIMB_EXPECT_OK(L1Loss(self, target, kMean, out));
  EXPECT_TRUE(std::isnan(out.Values()[0]));
  ACLIMB_EXPECT_OK(L1Loss(self, target, kSum, out));
  EXPECT_EQ(out.Values()[0], 0);
}

// Equal terms, which a sum in float32 would lose.
TEST_F(Losses, LongSumsOfEqualTerms) {
  constexpr int64_t kCount = 1000003;
  const DeviceTensor self({kCount}, DType::kFloat32, std::vector<double>(kCount, 0.4));
  const DeviceTensor target({1}, DType::kFloat32, {0.1}), out({1}, DType::kFloat32);
  const double term = static_cast<double>(0.4f - 0.1f);
  ACLIMB_EXPECT_OK(L1Loss(self, target, kSum, out));
  EXPECT_TRUE(Near(out.Values(), {term * kCount}, {4e-7, 0}));
  ACLIMB_EXPECT_OK(L1Loss(self, target, kMean, out));
  EXPECT_TRUE(Near(out.Values(), {term}, {4e-7, 0}));
}

// No logarithm of a probability is less than -100, and the gradient has no pole.
TEST_F(Losses, CertainProbabilities) {
  const DeviceTensor self({4}, DType::kFloat32, {0, 1, 0, 1});
  const DeviceTensor target({4}, DType::kFloat32, {1, 1, 0, 0}), out({4}, DType::kFloat32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnBinaryCrossEntropyGetWorkspaceSize(self, target, nullptr, kNone, out, size,
                                                       executor);
      },
      &aclnnBinaryCrossEntropy, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{100, 0, 0, 100}));
  const DeviceTensor gradient({}, DType::kFloat32, {2});
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnBinaryCrossEntropyBackwardGetWorkspaceSize(gradient, self, target, nullptr,
                                                               kMean, out, size, executor);
      },
      &aclnnBinaryCrossEntropyBackward, stream_));
  EXPECT_TRUE(Near(out.Values(), {-0.5e12, 0, 0, 0.5e12}, {1e-6, 0}));
}

TEST_F(Losses, TargetsOfProbabilityZeroAddNothing) {
  const DeviceTensor self({2}, DType::kFloat32, {-3, -1}), target({2}, DType::kFloat32, {0, 1});
  const DeviceTensor out({2}, DType::kFloat32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnKlDivGetWorkspaceSize(self, target, kNone, false, out, size, executor);
      },
      &aclnnKlDiv, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{0, 1}));
}

// Logits whose exponentials no float holds.
TEST_F(Losses, SoftMarginsDoNotOverflow) {
  const DeviceTensor self({3}, DType::kFloat32, {1000, -1000, 0});
  const DeviceTensor target({3}, DType::kFloat32, {-1, -1, 1}), out({3}, DType::kFloat32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnSoftMarginLossGetWorkspaceSize(self, target, kNone, out, size, executor);
      },
      &aclnnSoftMarginLoss, stream_));
  EXPECT_TRUE(Near(out.Values(), {1000, 0, std::log(2.0)}, {2e-7, 0}));
}

TEST_F(Losses, LargeLogits) {
  const DeviceTensor self({4}, DType::kFloat32, {200, -200, 200, -200});
  const DeviceTensor target({4}, DType::kFloat32, {1, 1, 0, 0}), out({4}, DType::kFloat32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(self, target, nullptr, nullptr,
                                                                 kNone, out, size, executor);
      },
      &aclnnBinaryCrossEntropyWithLogits, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{0, 200, 200, 0}));
}

TEST_F(Losses, RefusalsNameWhatIsWrong) {
  const DeviceTensor self({2, 3}, DType::kFloat32), target({3}, DType::kFloat16);
  const DeviceTensor out({3}, DType::kFloat32);
  EXPECT_EQ(L1Loss(self, target, kNone, out), 161002);
  EXPECT_STREQ(
      aclGetRecentErrMsg(),
      "aclnnL1LossGetWorkspaceSize: out.shape is [3] (FLOAT) but reduction is 0, self.shape "
      "is [2, 3] (FLOAT) and target.shape is [3] (FLOAT16); expected [2, 3].\n"
      "  fix: pass tensors that broadcast, and an out of that shape\n"
      "  rule: l1_loss/shape/out   code: 161002 ACLNN_ERR_PARAM_INVALID");
}

// ---- Every rule

// All tensors have one shape and dtype; numbers are 0, and beta is 1.
template <typename Function>
void ExpectRules(const contract::Contract& contract, Function* phase1, int out,
                 const char* own_rule = nullptr) {
  ContractHarness<Function> harness(contract, phase1, [&contract](CallArguments& a) {
    for (int p = 0; p < static_cast<int>(contract.parameters.size()); ++p) {
      switch (contract.At(p).kind) {
        case Kind::kTensor:
          a.Tensor(p, {2, 3}, DType::kFloat32);
          break;
        case Kind::kBool:
          a.Bool(p, false);
          break;
        case Kind::kReal:
          a.Real(p, 1);
          break;
        case Kind::kInteger:
          a.Integer(p, 0);
          break;
        case Kind::kScalar:
        case Kind::kIntArray:
        case Kind::kFloatArray:
        case Kind::kBoolArray:
        case Kind::kTensorList:
        case Kind::kScalarList:
        case Kind::kString:
          FAIL() << "a loss with a " << contract::KindName(contract.At(p).kind);
      }
    }
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  if (own_rule != nullptr) {
    harness.ExpectRule(own_rule, [out](CallArguments& a) { a.Tensor(out, {3}, DType::kFloat32); });
  }
  harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/product"});
}

TEST(LossesContract, EveryRule) {
  ExpectRules(l1_loss::kContract, &aclnnL1LossGetWorkspaceSize, l1_loss::kOut, "shape/out");
  ExpectRules(smooth_l1_loss::kContract, &aclnnSmoothL1LossGetWorkspaceSize,
              smooth_l1_loss::kResult, "shape/result");
  ExpectRules(soft_margin_loss::kContract, &aclnnSoftMarginLossGetWorkspaceSize,
              soft_margin_loss::kOut, "shape/out");
  ExpectRules(kl_div::kContract, &aclnnKlDivGetWorkspaceSize, kl_div::kOut, "shape/out");
  ExpectRules(binary_cross_entropy::kContract, &aclnnBinaryCrossEntropyGetWorkspaceSize,
              binary_cross_entropy::kOut, "shape/out");
  ExpectRules(binary_cross_entropy_with_logits::kContract,
              &aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize,
              binary_cross_entropy_with_logits::kOut, "shape/out");
  ExpectRules(l1_loss_backward::kContract, &aclnnL1LossBackwardGetWorkspaceSize, -1);
  ExpectRules(smooth_l1_loss_backward::kContract, &aclnnSmoothL1LossBackwardGetWorkspaceSize, -1);
  ExpectRules(soft_margin_loss_backward::kContract, &aclnnSoftMarginLossBackwardGetWorkspaceSize,
              -1);
  ExpectRules(kl_div_backward::kContract, &aclnnKlDivBackwardGetWorkspaceSize, -1);
  ExpectRules(binary_cross_entropy_backward::kContract,
              &aclnnBinaryCrossEntropyBackwardGetWorkspaceSize, -1);
  ExpectRules(binary_cross_entropy_with_logits_backward::kContract,
              &aclnnBinaryCrossEntropyWithLogitsBackwardGetWorkspaceSize, -1);
}

}  // namespace
}  // namespace aclimb::losses
