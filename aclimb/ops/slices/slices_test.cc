#include "aclimb/ops/slices/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::slices_test {

ACLIMB_OPERATOR_SUITE(Slices, slices::kOperators);

class SlicesRules : public DeviceTest {};

constexpr DType kFloat = DType::kFloat32;

TEST_F(SlicesRules, Slice) {
  using namespace slices::slice;  // NOLINT: the positions
  ContractHarness<decltype(aclnnSliceGetWorkspaceSize)> harness(
      kContract, &aclnnSliceGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 7}, kFloat);
        a.Integer(kDim, -1);
        a.Integer(kStart, -6);
        a.Integer(kEnd, 100);
        a.Integer(kStep, 2);
        a.Tensor(kOut, {2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  // Numbers at which sums would overflow.
  harness.ExpectAccepted([](CallArguments& a) {
    a.Integer(kStart, INT64_MIN);
    a.Integer(kEnd, INT64_MAX);
    a.Integer(kStep, INT64_MAX);
    a.Tensor(kOut, {2, 1}, kFloat);
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Integer(kStart, INT64_MAX);
    a.Integer(kEnd, INT64_MIN);
    a.Tensor(kOut, {2, 0}, kFloat);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Integer(kStep, 1); });
  harness.ExpectEveryRuleCovered({"slice/product"});
}

TEST_F(SlicesRules, SliceV2) {
  using namespace slices::slice_v2;  // NOLINT: the positions
  ContractHarness<decltype(aclnnSliceV2GetWorkspaceSize)> harness(
      kContract, &aclnnSliceV2GetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 7}, kFloat);
        a.Ints(kStarts, {1, -3});
        a.Ints(kEnds, {2, -1});
        a.Ints(kAxes, {0, 1});
        a.Ints(kSteps, {1, 1});
        a.Tensor(kOut, {1, 2}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("count/axes", [](CallArguments& a) { a.Ints(kStarts, {1}); });
  harness.ExpectRule("count/axes", [](CallArguments& a) { a.Ints(kEnds, {1, 2, 3}); });
  harness.ExpectRule("count/axes", [](CallArguments& a) { a.Ints(kSteps, {}); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kSteps, {1, 2}); });
  harness.ExpectEveryRuleCovered({"slice_v2/product"});
}

TEST_F(SlicesRules, Flip) {
  using namespace slices::flip;  // NOLINT: the positions
  ContractHarness<decltype(aclnnFlipGetWorkspaceSize)> harness(
      kContract, &aclnnFlipGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 7}, kFloat);
        a.Ints(kDims, {-1});
        a.Tensor(kOut, {2, 7}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"flip/product"});
}

// Of extents whose triple passes 2^63 too.
TEST(Roll, ShiftsOfADimensionAddUpAroundIt) {
  using slices::roll::ShiftedFurther;
  constexpr int64_t kLong = int64_t{1} << 62;
  EXPECT_EQ(ShiftedFurther(kLong - 1, kLong - 1, kLong), kLong - 2);
  EXPECT_EQ(ShiftedFurther(kLong - 1, INT64_MAX, kLong), kLong - 2);
  EXPECT_EQ(ShiftedFurther(kLong - 1, INT64_MIN, kLong), kLong - 1);
  EXPECT_EQ(ShiftedFurther(INT64_MAX - 1, INT64_MAX - 1, INT64_MAX), INT64_MAX - 2);
  for (int64_t shift = 0; shift < 5; ++shift) {
    for (int64_t by = -12; by <= 12; ++by) {
      EXPECT_EQ(ShiftedFurther(shift, by, 5), ((shift + by) % 5 + 5) % 5) << shift << " " << by;
    }
  }
}

TEST_F(SlicesRules, Roll) {
  using namespace slices::roll;  // NOLINT: the positions
  ContractHarness<decltype(aclnnRollGetWorkspaceSize)> harness(
      kContract, &aclnnRollGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kX, {2, 7}, kFloat);
        a.Ints(kShifts, {INT64_MIN});
        a.Ints(kDims, {-1});
        a.Tensor(kOut, {2, 7}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("count/shifts", [](CallArguments& a) { a.Ints(kShifts, {1, 2}); });
  harness.ExpectEveryRuleCovered({"roll/product"});
}

}  // namespace aclimb::testing::slices_test
