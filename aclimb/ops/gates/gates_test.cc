#include "aclimb/ops/gates/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::gates_test {

ACLIMB_OPERATOR_SUITE(Gates, gates::kOperators);

namespace {

constexpr DType kFloat = DType::kFloat32;

TEST(GatesContract, SwiGlu) {
  using namespace gates::swi_glu;  // NOLINT: its positions
  ContractHarness<decltype(aclnnSwiGluGetWorkspaceSize)> harness(
      kContract, &aclnnSwiGluGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kX, {2, 6}, kFloat);
        a.Integer(kDim, -1);
        a.Tensor(kOut, {2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("even/x", [](CallArguments& a) { a.Tensor(kX, {2, 5}, kFloat); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Integer(kDim, 0); });
  harness.ExpectEveryRuleCovered({"swi_glu/product", "swi_glu/environment"});
}

TEST(GatesContract, SwiGluGrad) {
  using namespace gates::swi_glu_grad;  // NOLINT: its positions
  ContractHarness<decltype(aclnnSwiGluGradGetWorkspaceSize)> harness(
      kContract, &aclnnSwiGluGradGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGrad, {2, 3}, kFloat);
        a.Tensor(kX, {2, 6}, kFloat);
        a.Integer(kDim, 1);
        a.Tensor(kOut, {2, 6}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("even/x", [](CallArguments& a) { a.Tensor(kX, {2, 5}, kFloat); });
  harness.ExpectRule("shape/yGrad", [](CallArguments& a) { a.Tensor(kGrad, {2, 6}, kFloat); });
  harness.ExpectEveryRuleCovered({"swi_glu_grad/product", "swi_glu_grad/environment"});
}

TEST(GatesContract, Glu) {
  using namespace gates::glu;  // NOLINT: its positions
  ContractHarness<decltype(aclnnGluGetWorkspaceSize)> harness(kContract, &aclnnGluGetWorkspaceSize,
                                                              [](CallArguments& a) {
                                                                a.Tensor(kSelf, {4, 3}, kFloat);
                                                                a.Integer(kDim, 0);
                                                                a.Tensor(kOut, {2, 3}, kFloat);
                                                              });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("even/self", [](CallArguments& a) { a.Integer(kDim, 1); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {4, 3}, kFloat); });
  harness.ExpectEveryRuleCovered({"glu/product", "glu/environment"});
}

TEST(GatesContract, GluBackward) {
  using namespace gates::glu_backward;  // NOLINT: its positions
  ContractHarness<decltype(aclnnGluBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnGluBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGrad, {2, 3}, kFloat);
        a.Tensor(kSelf, {4, 3}, kFloat);
        a.Integer(kDim, 0);
        a.Tensor(kOut, {4, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("even/self", [](CallArguments& a) { a.Integer(kDim, 1); });
  harness.ExpectRule("shape/gradOut", [](CallArguments& a) { a.Tensor(kGrad, {4, 3}, kFloat); });
  harness.ExpectEveryRuleCovered({"glu_backward/product", "glu_backward/environment"});
}

TEST(GatesContract, GeGlu) {
  using namespace gates::ge_glu;  // NOLINT: its positions
  ContractHarness<decltype(aclnnGeGluGetWorkspaceSize)> harness(
      kContract, &aclnnGeGluGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {4, 3}, kFloat);
        a.Integer(kDim, 0);
        a.Integer(kApproximate, 1);
        for (const int out : {kOut, kOutGelu}) a.Tensor(out, {2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("even/self", [](CallArguments& a) { a.Integer(kDim, 1); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {4, 3}, kFloat); });
  harness.ExpectRule("shape/outGelu", [](CallArguments& a) { a.Tensor(kOutGelu, {3}, kFloat); });
  harness.ExpectEveryRuleCovered({"ge_glu/product", "ge_glu/environment"});
}

TEST(GatesContract, GeGluV3) {
  using namespace gates::ge_glu_v3;  // NOLINT: its positions
  ContractHarness<decltype(aclnnGeGluV3GetWorkspaceSize)> harness(
      kContract, &aclnnGeGluV3GetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {4, 3}, kFloat);
        a.Integer(kDim, 0);
        a.Integer(kApproximate, 0);
        a.Bool(kActivateLeft, true);
        for (const int out : {kOut, kOutGelu}) a.Tensor(out, {2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("even/self", [](CallArguments& a) { a.Integer(kDim, 1); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {4, 3}, kFloat); });
  harness.ExpectRule("shape/outGelu", [](CallArguments& a) { a.Tensor(kOutGelu, {3}, kFloat); });
  harness.ExpectEveryRuleCovered({"ge_glu_v3/product", "ge_glu_v3/environment"});
}

}  // namespace
}  // namespace aclimb::testing::gates_test
