// What is particular to the operator; the suite has the rest.

#include <cmath>
#include <vector>

#include "aclimb/ops/unique_consecutive/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(UniqueConsecutive, unique_consecutive::kOperators);

namespace {

using Values = std::vector<double>;

class UniqueConsecutive : public DeviceTest {};

TEST_F(UniqueConsecutive, ElementsAreComparedInRowMajorOrder) {
  const double nan = std::nan("");
  const DeviceTensor self({2, 4}, DType::kFloat32, {1, 1, 2, 0.0, -0.0, nan, nan, 1});
  const DeviceTensor values({8}, DType::kFloat32), inverse({2, 4}, DType::kInt64);
  const DeviceTensor counts({8}, DType::kInt64);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnUniqueConsecutiveGetWorkspaceSize(self, true, true, 1000, values, inverse,
                                                      counts, size, executor);
      },
      &aclnnUniqueConsecutive, stream_));
  EXPECT_TRUE(Near(values.Values(), {1, 2, 0, nan, nan, 1, 0, 0}, {}));
  EXPECT_EQ(inverse.Values(), (Values{0, 0, 1, 2, 2, 3, 4, 5}));
  EXPECT_EQ(counts.Values(), (Values{2, 1, 2, 1, 1, 1, 0, 0}));
  int64_t* shape = nullptr;
  uint64_t rank = 0;
  ACLIMB_ASSERT_OK(aclGetViewShape(values, &shape, &rank));
  ASSERT_EQ(rank, 1u);
  EXPECT_EQ(shape[0], 6);
  delete[] shape;
}

TEST_F(UniqueConsecutive, SlicesAlongADimensionLieWithoutGaps) {
  const DeviceTensor self({2, 3}, DType::kInt16, {1, 1, 3, 4, 4, 6});
  const DeviceTensor values({2, 3}, DType::kInt16), inverse({3}, DType::kInt64);
  const DeviceTensor counts({3}, DType::kInt64);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnUniqueConsecutiveGetWorkspaceSize(self, true, true, -1, values, inverse, counts,
                                                      size, executor);
      },
      &aclnnUniqueConsecutive, stream_));
  EXPECT_EQ(values.Values(), (Values{1, 3, 4, 6, 0, 0}));
  EXPECT_EQ(inverse.Values(), (Values{0, 0, 1}));
  EXPECT_EQ(counts.Values(), (Values{2, 1, 0}));
}

TEST(UniqueConsecutiveContract, EveryRuleIsEnforcedAndExplained) {
  using namespace unique_consecutive;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnUniqueConsecutiveGetWorkspaceSize)> harness(
      kContract, &aclnnUniqueConsecutiveGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Bool(kReturnInverse, true);
        a.Bool(kReturnCounts, true);
        a.Integer(kDim, 1);
        a.Tensor(kValues, {2, 3}, DType::kFloat32);
        a.Tensor(kInverse, {3}, DType::kInt64);
        a.Tensor(kCounts, {3}, DType::kInt64);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Integer(kDim, 1000);
    a.Tensor(kValues, {6}, DType::kFloat32);
    a.Tensor(kInverse, {2, 3}, DType::kInt64);
    a.Tensor(kCounts, {6}, DType::kInt64);
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Bool(kReturnInverse, false);
    a.Bool(kReturnCounts, false);
    a.Tensor(kInverse, {0}, DType::kInt64);
    a.Tensor(kCounts, {0}, DType::kInt64);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("range/dim", [](CallArguments& a) { a.Integer(kDim, 2); });
  harness.ExpectRule("slices/self", [](CallArguments& a) {
    a.Tensor(kSelf, {0, 3}, DType::kFloat32);
    a.Tensor(kValues, {0, 3}, DType::kFloat32);
  });
  harness.ExpectRule("shape/valueOut",
                     [](CallArguments& a) { a.Tensor(kValues, {6}, DType::kFloat32); });
  harness.ExpectRule("shape/inverseOut",
                     [](CallArguments& a) { a.Tensor(kInverse, {2}, DType::kInt64); });
  harness.ExpectRule("shape/countsOut",
                     [](CallArguments& a) { a.Tensor(kCounts, {2}, DType::kInt64); });
  harness.ExpectEveryRuleCovered({"unique_consecutive/product"});
}

}  // namespace
}  // namespace aclimb::testing
