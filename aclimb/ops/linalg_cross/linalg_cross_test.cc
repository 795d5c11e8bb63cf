#include <vector>

#include "aclimb/ops/linalg_cross/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::linalg_cross_test {

ACLIMB_OPERATOR_SUITE(LinalgCross, linalg_cross::kOperators);

namespace {

class LinalgCross : public DeviceTest {};

TEST_F(LinalgCross, VectorsLieAlongTheDimension) {
  const DeviceTensor self({3, 2}, DType::kFloat32, {1, 0, 0, 1, 0, 0});
  const DeviceTensor other({3, 1}, DType::kFloat32, {0, 2, 3});
  const DeviceTensor out({3, 2}, DType::kFloat32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnLinalgCrossGetWorkspaceSize(self, other, 0, out, size, executor);
      },
      &aclnnLinalgCross, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{0, 3, -3, 0, 2, 0}));
}

TEST_F(LinalgCross, IntegersWrap) {
  const DeviceTensor self({3}, DType::kInt8, {100, 100, 0}), other({3}, DType::kInt8, {0, 3, 1});
  const DeviceTensor out({3}, DType::kInt8);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnLinalgCrossGetWorkspaceSize(self, other, -1, out, size, executor);
      },
      &aclnnLinalgCross, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{100, -100, 44}));
}

TEST(LinalgCrossContract, EveryRuleIsEnforcedAndExplained) {
  using namespace linalg_cross;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnLinalgCrossGetWorkspaceSize)> harness(
      kContract, &aclnnLinalgCrossGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Tensor(kOther, {2, 3}, DType::kFloat32);
        a.Integer(kDim, -1);
        a.Tensor(kOut, {2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("vectors/out", [](CallArguments& a) { a.Integer(kDim, 0); });
  harness.ExpectEveryRuleCovered({"linalg_cross/product"});
}

}  // namespace
}  // namespace aclimb::testing::linalg_cross_test
