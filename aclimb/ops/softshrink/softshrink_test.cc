#include "aclimb/ops/softshrink/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::softshrink_test {

ACLIMB_OPERATOR_SUITE(Softshrink, softshrink::kOperators);

namespace {

TEST(SoftshrinkContract, EveryRuleIsEnforcedAndExplained) {
  using namespace softshrink;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnSoftshrinkGetWorkspaceSize)> harness(
      kContract, &aclnnSoftshrinkGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.ScalarOf(kLambd, 0.5, DType::kFloat32);
        a.Tensor(kOut, {2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered();
}

}  // namespace
}  // namespace aclimb::testing::softshrink_test
