// The operators through their C interface.
#include <gtest/gtest.h>

#include <vector>

#include "aclimb/ops/softmax/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::softmax {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::Naming;

TEST(SoftmaxContract, EveryRule) {
  const auto fill = [](CallArguments& a) {
    a.Tensor(kSelf, {2, 3}, DType::kFloat32);
    a.Integer(kDim, -1);
    a.Tensor(kOut, {2, 3}, DType::kFloat32);
  };
  ContractHarness<decltype(aclnnSoftmaxGetWorkspaceSize)> softmax(
      kSoftmaxContract, &aclnnSoftmaxGetWorkspaceSize, fill, Naming::kEach);
  ContractHarness<decltype(aclnnLogSoftmaxGetWorkspaceSize)> log_softmax(
      kLogSoftmaxContract, &aclnnLogSoftmaxGetWorkspaceSize, fill, Naming::kEach);
  for (auto* const harness : {&softmax, &log_softmax}) {
    harness->ExpectAccepted();
    harness->ExpectAccepted([](CallArguments& a) { a.Tensor(kOut, {2, 3}, DType::kFloat16); });
    harness->ExpectGenericRules();
  }
  softmax.ExpectEveryRuleCovered({"softmax/environment"});
  log_softmax.ExpectEveryRuleCovered({"log_softmax/environment"});
}

TEST(SoftmaxContract, EveryRuleOfTheGradients) {
  const auto fill = [](CallArguments& a) {
    a.Tensor(kGradOutput, {2, 3}, DType::kFloat32);
    a.Tensor(kOutput, {2, 3}, DType::kFloat32);
    a.Integer(kBackwardDim, 0);
    a.Tensor(kGradInput, {2, 3}, DType::kFloat32);
  };
  ContractHarness<decltype(aclnnSoftmaxBackwardGetWorkspaceSize)> softmax(
      kSoftmaxBackwardContract, &aclnnSoftmaxBackwardGetWorkspaceSize, fill, Naming::kEach);
  ContractHarness<decltype(aclnnLogSoftmaxBackwardGetWorkspaceSize)> log_softmax(
      kLogSoftmaxBackwardContract, &aclnnLogSoftmaxBackwardGetWorkspaceSize, fill, Naming::kEach);
  for (auto* const harness : {&softmax, &log_softmax}) {
    harness->ExpectAccepted();
    harness->ExpectGenericRules();
  }
  softmax.ExpectEveryRuleCovered({"softmax_backward/environment"});
  log_softmax.ExpectEveryRuleCovered({"log_softmax_backward/environment"});
}

}  // namespace
}  // namespace aclimb::softmax

namespace aclimb::testing::softmax_test {

ACLIMB_OPERATOR_SUITE(Softmax, softmax::kOperators);

}  // namespace aclimb::testing::softmax_test
