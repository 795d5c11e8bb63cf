#include "aclimb/ops/fills/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::fills_test {

ACLIMB_OPERATOR_SUITE(Fills, fills::kOperators);

class FillsRules : public DeviceTest {};

constexpr DType kFloat = DType::kFloat32;

TEST_F(FillsRules, ZeroAndOne) {
  ContractHarness<decltype(aclnnInplaceZeroGetWorkspaceSize)> zero(
      fills::inplace_zero::kContract, &aclnnInplaceZeroGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(0, {2, 3}, kFloat);
      });
  zero.ExpectAccepted();
  zero.ExpectGenericRules();
  zero.ExpectEveryRuleCovered({"inplace_zero/product"});
  ContractHarness<decltype(aclnnInplaceOneGetWorkspaceSize)> one(
      fills::inplace_one::kContract, &aclnnInplaceOneGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(0, {2, 3}, kFloat);
      });
  one.ExpectAccepted();
  one.ExpectGenericRules();
  one.ExpectEveryRuleCovered({"inplace_one/product"});
}

TEST_F(FillsRules, InplaceFillScalar) {
  using namespace fills::inplace_fill_scalar;  // NOLINT: the positions
  ContractHarness<decltype(aclnnInplaceFillScalarGetWorkspaceSize)> harness(
      kContract, &aclnnInplaceFillScalarGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelfRef, {2, 3}, kFloat);
        a.ScalarOf(kValue, 2, DType::kFloat64);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("converts/value",
                     [](CallArguments& a) { a.ScalarOf(kValue, 2, DType::kComplex64); });
  harness.ExpectRule("converts/value", [](CallArguments& a) {
    a.Tensor(kSelfRef, {2, 3}, DType::kComplex64);
    a.ScalarOf(kValue, 2, DType::kComplex32);
  });
  harness.ExpectEveryRuleCovered({"inplace_fill_scalar/product"});
}

TEST_F(FillsRules, InplaceFillTensor) {
  using namespace fills::inplace_fill_tensor;  // NOLINT: the positions
  ContractHarness<decltype(aclnnInplaceFillTensorGetWorkspaceSize)> harness(
      kContract, &aclnnInplaceFillTensorGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelfRef, {2, 3}, kFloat);
        a.Tensor(kValue, {1}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("complex/value",
                     [](CallArguments& a) { a.Tensor(kValue, {}, DType::kComplex64); });
  harness.ExpectRule("one-element/value", [](CallArguments& a) { a.Tensor(kValue, {2}, kFloat); });
  harness.ExpectRule("one-element/value", [](CallArguments& a) { a.Tensor(kValue, {0}, kFloat); });
  harness.ExpectEveryRuleCovered({"inplace_fill_tensor/product"});
}

TEST_F(FillsRules, InplaceFillDiagonal) {
  using namespace fills::inplace_fill_diagonal;  // NOLINT: the positions
  ContractHarness<decltype(aclnnInplaceFillDiagonalGetWorkspaceSize)> harness(
      kContract, &aclnnInplaceFillDiagonalGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelfRef, {2, 3}, kFloat);
        a.ScalarOf(kFillValue, 2, kFloat);
        a.Bool(kWrap, true);
      });
  harness.ExpectAccepted();
  // Strides by which nothing is reached, and one whose double does not fit.
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kSelfRef, {1, 1}, kFloat, ACL_FORMAT_ND, {INT64_MAX, INT64_MAX});
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kSelfRef, {2, 1}, DType::kInt8, ACL_FORMAT_ND, {INT64_MAX - 1, 1});
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("extents/selfRef", [](CallArguments& a) {
    a.Tensor(kSelfRef, {2, 2, 3}, kFloat);
  });
  harness.ExpectEveryRuleCovered({"inplace_fill_diagonal/product"});
}

// The example of the operator's page.
TEST_F(FillsRules, DiagonalsThatBeginAgain) {
  const DeviceTensor self({7, 3}, kFloat, std::vector<double>(21));
  const Scalar value(5, DType::kInt64);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnInplaceFillDiagonalGetWorkspaceSize(self, value, true, size, executor);
      },
      &aclnnInplaceFillDiagonal, stream_));
  EXPECT_EQ(self.Values(),
            (std::vector<double>{5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5}));
}

TEST_F(FillsRules, Eye) {
  using namespace fills::eye;  // NOLINT: the positions
  ContractHarness<decltype(aclnnEyeGetWorkspaceSize)> harness(kContract, &aclnnEyeGetWorkspaceSize,
                                                              [](CallArguments& a) {
                                                                a.Integer(kN, 2);
                                                                a.Integer(kM, 3);
                                                                a.Tensor(kOut, {2, 3}, kFloat);
                                                              });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"eye/product"});
}

TEST_F(FillsRules, OneHot) {
  using namespace fills::one_hot;  // NOLINT: the positions
  ContractHarness<decltype(aclnnOneHotGetWorkspaceSize)> harness(
      kContract, &aclnnOneHotGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kInt64);
        a.Integer(kNumClasses, 4);
        a.Tensor(kOnValue, {1}, kFloat);
        a.Tensor(kOffValue, {}, kFloat);
        a.Integer(kAxis, -1);
        a.Tensor(kOut, {2, 3, 4}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Integer(kNumClasses, 0);
    a.Tensor(kOut, {2, 3, 0}, kFloat);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("one-element/onValue",
                     [](CallArguments& a) { a.Tensor(kOnValue, {2}, kFloat); });
  harness.ExpectRule("one-element/offValue",
                     [](CallArguments& a) { a.Tensor(kOffValue, {2}, kFloat); });
  harness.ExpectRule("no-classes/numClasses", [](CallArguments& a) {
    a.Integer(kNumClasses, 0);
    a.Tensor(kSelf, {2, 0}, DType::kInt64);
  });
  harness.ExpectRule("range/axis", [](CallArguments& a) { a.Integer(kAxis, 3); });
  harness.ExpectRule("range/axis", [](CallArguments& a) { a.Integer(kAxis, -2); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Integer(kAxis, 0); });
  harness.ExpectEveryRuleCovered({"one_hot/product"});
}

}  // namespace aclimb::testing::fills_test
