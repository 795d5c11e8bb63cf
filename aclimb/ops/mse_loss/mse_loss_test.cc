// What is particular to the operators; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "aclimb/ops/mse_loss/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::mse_loss {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;

class MseLoss : public aclimb::testing::DeviceTest {
 protected:
  int Run(const DeviceTensor& self, const DeviceTensor& target, int64_t reduction,
          const DeviceTensor& out) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnMseLossGetWorkspaceSize(self, target, reduction, out, size, executor);
        },
        &aclnnMseLoss, stream_);
  }
};

TEST_F(MseLoss, MeanAndSumOfNothing) {
  const DeviceTensor self({0, 3}, DType::kFloat32), target({3}, DType::kFloat32, {1, 2, 3});
  const DeviceTensor out({}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(self, target, kMean, out));
  EXPECT_TRUE(std::isnan(out.Values()[0]));
  ACLIMB_EXPECT_OK(Run(self, target, kSum, out));
  EXPECT_EQ(out.Values()[0], 0);
}

// Equal terms, which a sum in float32 would lose; of both, of one, and of none in memory.
TEST_F(MseLoss, LongSumsOfEqualTerms) {
  constexpr int64_t kCount = 1000003;
  const DeviceTensor self({kCount}, DType::kFloat32, std::vector<double>(kCount, 0.4));
  const DeviceTensor same({kCount}, DType::kFloat32, std::vector<double>(kCount, 0.1));
  const DeviceTensor one({1}, DType::kFloat32, {0.1});
  const DeviceTensor far({kCount}, DType::kFloat32, std::vector<double>(kCount, 0.1),
                         {.stride = {0}});
  const DeviceTensor out({1}, DType::kFloat32);
  const double square = std::pow(static_cast<double>(0.4f) - 0.1f, 2);
  for (const DeviceTensor* target : {&same, &one, &far}) {
    ACLIMB_EXPECT_OK(Run(self, *target, kSum, out));
    EXPECT_TRUE(Near(out.Values(), {square * kCount}, {4e-7, 0}));
    ACLIMB_EXPECT_OK(Run(*target, self, kMean, out));
    EXPECT_TRUE(Near(out.Values(), {square}, {4e-7, 0}));
  }
}

TEST_F(MseLoss, RefusalsNameWhatIsWrong) {
  const DeviceTensor self({2, 3}, DType::kFloat32), target({3}, DType::kFloat16);
  const DeviceTensor other({4}, DType::kFloat32), out({3}, DType::kFloat32);
  EXPECT_EQ(Run(self, target, kNone, out), 161002);
  EXPECT_STREQ(
      aclGetRecentErrMsg(),
      "aclnnMseLossGetWorkspaceSize: out.shape is [3] (FLOAT) but reduction is 0, self.shape "
      "is [2, 3] (FLOAT) and target.shape is [3] (FLOAT16); expected [2, 3].\n"
      "  fix: pass tensors that broadcast, and an out of that shape\n"
      "  rule: mse_loss/shape/out   code: 161002 ACLNN_ERR_PARAM_INVALID");
  EXPECT_EQ(Run(self, other, kSum, out), 161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnMseLossGetWorkspaceSize: self.shape is [2, 3] (FLOAT) and target.shape is [4] "
               "(FLOAT); expected shapes that broadcast: dimensions, counted from the last, that "
               "are equal or 1.\n"
               "  fix: pass tensors that broadcast, and an out of that shape\n"
               "  rule: mse_loss/shape/out   code: 161002 ACLNN_ERR_PARAM_INVALID");
}

TEST(MseLossContract, EveryRule) {
  ContractHarness<decltype(aclnnMseLossGetWorkspaceSize)> loss(
      kMseLossContract, &aclnnMseLossGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(Forward::kSelf, {2, 3}, DType::kFloat32);
        a.Tensor(Forward::kTarget, {2, 3}, DType::kFloat32);
        a.Integer(Forward::kReduction, kNone);
        a.Tensor(Forward::kOut, {2, 3}, DType::kFloat32);
      });
  loss.ExpectAccepted();
  loss.ExpectGenericRules();
  loss.ExpectRule("shape/out",
                  [](CallArguments& a) { a.Tensor(Forward::kOut, {3}, DType::kFloat32); });
  loss.ExpectEveryRuleCovered({"mse_loss/environment"});

  ContractHarness<decltype(aclnnMseLossBackwardGetWorkspaceSize)> gradient(
      kMseLossBackwardContract, &aclnnMseLossBackwardGetWorkspaceSize, [](CallArguments& a) {
        for (const int tensor :
             {Backward::kGradOutput, Backward::kSelf, Backward::kTarget, Backward::kOut}) {
          a.Tensor(tensor, {2, 3}, DType::kFloat32);
        }
        a.Integer(Backward::kReduction, kMean);
      });
  gradient.ExpectAccepted();
  gradient.ExpectGenericRules();
  gradient.ExpectEveryRuleCovered({"mse_loss_backward/environment", "mse_loss_backward/product"});
}

}  // namespace
}  // namespace aclimb::mse_loss

namespace aclimb::testing::mse_loss_test {

ACLIMB_OPERATOR_SUITE(MseLoss, mse_loss::kOperators);

}  // namespace aclimb::testing::mse_loss_test
