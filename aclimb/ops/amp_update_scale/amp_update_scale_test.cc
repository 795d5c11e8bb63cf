#include "aclimb/ops/amp_update_scale/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::amp_update_scale_test {

ACLIMB_OPERATOR_SUITE(AmpUpdateScale, amp_update_scale::kOperators);

namespace {

using namespace amp_update_scale;  // NOLINT: the parameters' positions

class AmpUpdateScale : public DeviceTest {};

// As a gradient scaler calls it, on the tensors themselves.
TEST_F(AmpUpdateScale, GrowsAfterEachIntervalAndStartsAgainAfterAnOverflow) {
  const DeviceTensor scale({}, DType::kFloat32, {8}), tracker({}, DType::kInt32, {0});
  const std::vector<double> found = {0, 0, 1, 0, 0, 0};
  const std::vector<double> scales = {8, 16, 8, 8, 16, 16}, trackers = {1, 0, 0, 1, 0, 1};
  for (size_t i = 0; i < found.size(); ++i) {
    const DeviceTensor found_inf({1}, DType::kFloat32, {found[i]});
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnAmpUpdateScaleGetWorkspaceSize(scale, tracker, found_inf, 2, 0.5, 2, scale,
                                                     tracker, size, executor);
        },
        &aclnnAmpUpdateScale, stream_));
    EXPECT_EQ(scale.Values(), std::vector<double>{scales[i]}) << i;
    EXPECT_EQ(tracker.Values(), std::vector<double>{trackers[i]}) << i;
  }
}

TEST(AmpUpdateScaleContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnAmpUpdateScaleGetWorkspaceSize)> harness(
      kContract, &aclnnAmpUpdateScaleGetWorkspaceSize, [](CallArguments& a) {
        for (const int tensor : {kScale, kFoundInf, kNewScale}) {
          a.Tensor(tensor, {1}, DType::kFloat32);
        }
        for (const int tensor : {kTracker, kNewTracker}) a.Tensor(tensor, {1}, DType::kInt32);
        a.Real(kGrowthFactor, 2);
        a.Real(kBackoffFactor, 0.5);
        a.Integer(kGrowthInterval, 2000);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  const auto two = [&](const char* rule, int tensor, DType dtype) {
    harness.ExpectRule(rule, [=](CallArguments& a) { a.Tensor(tensor, {2}, dtype); });
  };
  two("one-element/currentScale", kScale, DType::kFloat32);
  two("one-element/growthTracker", kTracker, DType::kInt32);
  two("one-element/foundInf", kFoundInf, DType::kFloat32);
  two("one-element/updatedScale", kNewScale, DType::kFloat32);
  two("one-element/updatedGrowthTracker", kNewTracker, DType::kInt32);
  harness.ExpectEveryRuleCovered();
}

}  // namespace
}  // namespace aclimb::testing::amp_update_scale_test
