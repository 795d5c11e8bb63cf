#include <cmath>

#include "aclimb/ops/reduce_nansum/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::reduce_nansum_test {

ACLIMB_OPERATOR_SUITE(ReduceNansum, reduce_nansum::kOperators);

namespace {

class ReduceNansum : public DeviceTest {};

TEST_F(ReduceNansum, LeavesOutNaN) {
  const double nan = std::nan("");
  const DeviceTensor self({2, 3}, DType::kFloat32, {1, nan, 3, nan, nan, nan});
  const DeviceTensor out({2}, DType::kFloat32);
  const IntArray dim({1});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnReduceNansumGetWorkspaceSize(self, dim, false, ACL_FLOAT, out, size, executor);
      },
      &aclnnReduceNansum, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{4, 0}));
}

TEST(ReduceNansumContract, EveryRuleIsEnforcedAndExplained) {
  using namespace reduce_nansum;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnReduceNansumGetWorkspaceSize)> harness(
      kContract, &aclnnReduceNansumGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Ints(kDim, {1});
        a.Bool(kKeepDim, false);
        a.Integer(kDType, static_cast<int64_t>(DType::kFloat32));
        a.Tensor(kOut, {2}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"reduce_nansum/product"});
}

}  // namespace
}  // namespace aclimb::testing::reduce_nansum_test
