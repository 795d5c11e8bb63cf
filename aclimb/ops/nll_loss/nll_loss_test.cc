// What is particular to the operators; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "aclimb/ops/nll_loss/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/run_failure.h"

namespace aclimb::nll_loss {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::IsRunFailure;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;

class NLLLoss : public aclimb::testing::DeviceTest {
 protected:
  int Run(const DeviceTensor& self, const DeviceTensor& target, const DeviceTensor& weight,
          Reduction reduction, const DeviceTensor& out, const DeviceTensor& total) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnNLLLossGetWorkspaceSize(self, target, weight, reduction, -100, out, total,
                                              size, executor);
        },
        &aclnnNLLLoss, stream_);
  }
};

// Labels next to the classes, and so far away that an address would overflow.
TEST_F(NLLLoss, LabelsThatAreNoClassFailTheRunAndAreIgnored) {
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<int64_t>::min());
  const DeviceTensor self({5, 2}, DType::kFloat32, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const DeviceTensor target({5}, DType::kInt64, {1, 2, -1, kLeast, 1e15});
  const DeviceTensor weight({2}, DType::kFloat32, {3, 0.5});
  const DeviceTensor out({}, DType::kFloat32), total({1}, DType::kFloat32);
  const char* const text =
      "target[1] is 2, and 3 more are wrong; expected 0 to 1 (self has 2 classes; ignoreIndex is "
      "-100).";
  EXPECT_TRUE(IsRunFailure(Run(self, target, weight, kSum, out, total), text));
  EXPECT_EQ(out.Values()[0], -1);
  EXPECT_EQ(total.Values()[0], 0.5);
  const DeviceTensor gradient({5, 2}, DType::kFloat32);
  EXPECT_TRUE(IsRunFailure(RunBothPhases(
                               [&](uint64_t* size, aclOpExecutor** executor) {
                                 return aclnnNLLLossBackwardGetWorkspaceSize(
                                     out, self, target, weight, kMean, -100, total, gradient, size,
                                     executor);
                               },
                               &aclnnNLLLossBackward, stream_),
                           text));
  EXPECT_EQ(gradient.Values(), (std::vector<double>{0, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(NLLLoss, MeanOfNothing) {
  const DeviceTensor self({2, 2}, DType::kFloat16, {1, 2, 3, 4});
  const DeviceTensor target({2}, DType::kInt32, {-100, -100});
  const DeviceTensor weight({2}, DType::kFloat16, {1, 1});
  const DeviceTensor out({1}, DType::kFloat16), total({}, DType::kFloat16);
  ACLIMB_EXPECT_OK(Run(self, target, weight, kMean, out, total));
  EXPECT_TRUE(std::isnan(out.Values()[0]));
  EXPECT_EQ(total.Values()[0], 0);
}

// Equal terms, which a sum in float32 would lose.
TEST_F(NLLLoss, LongSumsOfEqualTerms) {
  constexpr int64_t kRows = 1000000;
  const DeviceTensor self({kRows, 1}, DType::kFloat32, std::vector<double>(kRows, -0.1));
  const DeviceTensor target({kRows}, DType::kUInt8, std::vector<double>(kRows, 0));
  const DeviceTensor weight({1}, DType::kFloat32, {0.3});
  const DeviceTensor out({}, DType::kFloat32), total({}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(self, target, weight, kMean, out, total));
  EXPECT_TRUE(Near(out.Values(), {0.1}, {1e-7, 0}));
  EXPECT_TRUE(Near(total.Values(), {0.3 * kRows}, {1e-7, 0}));
}

TEST_F(NLLLoss, RefusalsNameWhatIsWrong) {
  const DeviceTensor self({5, 2}, DType::kFloat32), target({5}, DType::kInt64);
  const DeviceTensor weight({2}, DType::kFloat32), out({}, DType::kFloat32);
  const DeviceTensor total({2}, DType::kFloat32);
  EXPECT_EQ(Run(self, target, weight, kNone, out, total), 161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnNLLLossGetWorkspaceSize: out.shape is [] (FLOAT) but reduction is 0 and "
               "target.shape is [5] (INT64); expected [5].\n"
               "  fix: allocate out with this shape\n"
               "  rule: nll_loss/shape/out   code: 161002 ACLNN_ERR_PARAM_INVALID");
  EXPECT_EQ(Run(self, target, weight, kSum, out, total), 161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnNLLLossGetWorkspaceSize: totalWeightOut.shape is [2]; expected [] or "
               "[1].\n"
               "  fix: allocate totalWeightOut with one element\n"
               "  rule: nll_loss/shape/totalWeightOut   code: 161002 ACLNN_ERR_PARAM_INVALID");
}

template <typename Phase1>
void ExpectForwardRules(const contract::Contract& contract, Phase1* phase1,
                        const std::vector<int64_t>& self, const std::vector<int64_t>& target) {
  using P = Forward;
  ContractHarness<Phase1> harness(contract, phase1, [&](CallArguments& a) {
    a.Tensor(P::kSelf, self, DType::kFloat32);
    a.Tensor(P::kTarget, target, DType::kInt64);
    a.Tensor(P::kWeight, {5}, DType::kFloat32);
    a.Integer(P::kReduction, kMean);
    a.Integer(P::kIgnoreIndex, -100);
    a.Tensor(P::kOut, {}, DType::kFloat32);
    a.Tensor(P::kTotalWeight, {1}, DType::kFloat32);
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"shape/target"});
  std::vector<int64_t> longer = target;
  ++longer[0];
  harness.ExpectRule("shape/target",
                     [&](CallArguments& a) { a.Tensor(P::kTarget, longer, DType::kInt64); });
  harness.ExpectRule(
      "shape/out", [](CallArguments& a) { a.Tensor(P::kOut, {2}, DType::kFloat32); },
      std::set<std::string>{"out", "reduction"});
  harness.ExpectRule(
      "shape/totalWeightOut",
      [](CallArguments& a) { a.Tensor(P::kTotalWeight, {2}, DType::kFloat32); },
      std::set<std::string>{"totalWeightOut"});
  harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/environment"});
}

template <typename Phase1>
void ExpectBackwardRules(const contract::Contract& contract, Phase1* phase1,
                         const std::vector<int64_t>& self, const std::vector<int64_t>& target) {
  using P = Backward;
  ContractHarness<Phase1> harness(contract, phase1, [&](CallArguments& a) {
    a.Tensor(P::kGradOutput, target, DType::kFloat32);
    a.Tensor(P::kSelf, self, DType::kFloat32);
    a.Tensor(P::kTarget, target, DType::kInt64);
    a.Tensor(P::kWeight, {5}, DType::kFloat32);
    a.Integer(P::kReduction, kNone);
    a.Integer(P::kIgnoreIndex, -100);
    a.Tensor(P::kTotalWeight, {}, DType::kFloat32);
    a.Tensor(P::kOut, self, DType::kFloat32);
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"shape/target"});
  std::vector<int64_t> longer = target;
  ++longer[0];
  harness.ExpectRule("shape/target",
                     [&](CallArguments& a) { a.Tensor(P::kTarget, longer, DType::kInt64); });
  harness.ExpectRule(
      "shape/gradOutput", [](CallArguments& a) { a.Tensor(P::kGradOutput, {}, DType::kFloat32); },
      std::set<std::string>{"gradOutput", "reduction", "target"});
  harness.ExpectRule(
      "shape/totalWeight",
      [](CallArguments& a) { a.Tensor(P::kTotalWeight, {2}, DType::kFloat32); },
      std::set<std::string>{"totalWeight"});
  const std::string folder = contract.folder;
  harness.ExpectEveryRuleCovered({folder + "/environment", folder + "/product"});
}

TEST(NLLLossContract, EveryRule) {
  ExpectForwardRules(kNLLLossContract, &aclnnNLLLossGetWorkspaceSize, {3, 5}, {3});
  ExpectForwardRules(kNLLLoss2dContract, &aclnnNLLLoss2dGetWorkspaceSize, {3, 5, 2, 4}, {3, 2, 4});
  ExpectBackwardRules(kNLLLossBackwardContract, &aclnnNLLLossBackwardGetWorkspaceSize, {3, 5}, {3});
  ExpectBackwardRules(kNLLLoss2dBackwardContract, &aclnnNLLLoss2dBackwardGetWorkspaceSize,
                      {3, 5, 2, 4}, {3, 2, 4});
}

}  // namespace
}  // namespace aclimb::nll_loss

namespace aclimb::testing::nll_loss_test {

ACLIMB_OPERATOR_SUITE(NLLLoss, nll_loss::kOperators);

}  // namespace aclimb::testing::nll_loss_test
