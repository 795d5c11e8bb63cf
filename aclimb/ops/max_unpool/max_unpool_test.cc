#include <vector>

#include "aclimb/ops/max_unpool/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/run_failure.h"

namespace aclimb::testing::max_unpool_test {

ACLIMB_OPERATOR_SUITE(MaxUnpool, max_unpool::kOperators);

namespace {

constexpr DType kFloat = DType::kFloat32;
using Values = std::vector<double>;

class MaxUnpool : public DeviceTest {};

TEST_F(MaxUnpool, ElementsGoWhereTheirIndicesLead) {
  const DeviceTensor self({2, 1, 2}, kFloat, {1, 2, 3, 4});
  const DeviceTensor indices({2, 1, 2}, DType::kInt32, {5, 0, 2, 2});
  const DeviceTensor out({2, 2, 3}, kFloat), back({2, 1, 2}, DType::kFloat16);
  const IntArray size({2, 3});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* bytes, aclOpExecutor** executor) {
        return aclnnMaxUnpool2dGetWorkspaceSize(self, indices, size, out, bytes, executor);
      },
      &aclnnMaxUnpool2d, stream_));
  // The last of two elements with one index stays.
  EXPECT_EQ(out.Values(), (Values{2, 0, 0, 0, 0, 1, 0, 0, 4, 0, 0, 0}));
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* bytes, aclOpExecutor** executor) {
        return aclnnMaxUnpool2dBackwardGetWorkspaceSize(out, self, indices, size, back, bytes,
                                                        executor);
      },
      &aclnnMaxUnpool2dBackward, stream_));
  EXPECT_EQ(back.Values(), (Values{1, 2, 4, 4}));
}

// So many that threads share them; one is wrong, far behind.
TEST_F(MaxUnpool, AnIndexOutsideOfThePlaneFailsTheRun) {
  constexpr int64_t kPlanes = 20'000;
  Values places(4 * kPlanes, 3);
  places[70'001] = 12;
  places[70'003] = -1;
  const DeviceTensor self({kPlanes, 1, 2, 2}, kFloat, Values(4 * kPlanes, 7));
  const DeviceTensor indices({kPlanes, 1, 2, 2}, DType::kInt64, places);
  const DeviceTensor out({kPlanes, 2, 2, 3}, kFloat), back({kPlanes, 1, 2, 2}, kFloat);
  const IntArray size({2, 2, 3}), one({1, 1, 1}), zero({0, 0, 0});
  EXPECT_TRUE(IsRunFailure(
      RunBothPhases(
          [&](uint64_t* bytes, aclOpExecutor** executor) {
            return aclnnMaxUnpool3dGetWorkspaceSize(self, indices, size, one, zero, out, bytes,
                                                    executor);
          },
          &aclnnMaxUnpool3d, stream_),
      "indices[17500, 0, 0, 1] is 12, and 1 more is wrong; expected 0 to 11 (outputSize has 12 "
      "elements)."));
  EXPECT_EQ(out.Values()[3], 7);
  EXPECT_TRUE(IsRunFailure(RunBothPhases(
                               [&](uint64_t* bytes, aclOpExecutor** executor) {
                                 return aclnnMaxUnpool3dBackwardGetWorkspaceSize(
                                     out, self, indices, size, one, zero, back, bytes, executor);
                               },
                               &aclnnMaxUnpool3dBackward, stream_),
                           "indices[17500, 0, 0, 1] is 12"));
  EXPECT_EQ(back.Values()[70'000], 7);
  EXPECT_EQ(back.Values()[70'001], 0);
}

TEST(MaxUnpoolContract, EveryRuleOfPlanesIsEnforcedAndExplained) {
  using namespace max_unpool::planes;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnMaxUnpool2dGetWorkspaceSize)> harness(
      kContract, &aclnnMaxUnpool2dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 2}, kFloat);
        a.Tensor(kIndices, {1, 2, 2}, DType::kInt64);
        a.Ints(kOutputSize, {4, 5});
        a.Tensor(kOut, {1, 4, 5}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("room/outputSize", [](CallArguments& a) {
    a.Ints(kOutputSize, {3, 1});
    a.Tensor(kOut, {1, 3, 1}, kFloat);
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kOutputSize, {5, 4}); });
  harness.ExpectEveryRuleCovered({"max_unpool2d/product"});
}

TEST(MaxUnpoolContract, EveryRuleOfVolumesIsEnforcedAndExplained) {
  using namespace max_unpool::volumes;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnMaxUnpool3dGetWorkspaceSize)> harness(
      kContract, &aclnnMaxUnpool3dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 2, 2}, kFloat);
        a.Tensor(kIndices, {1, 2, 2, 2}, DType::kInt64);
        a.Ints(kOutputSize, {3, 4, 5});
        a.Ints(kStride, {2, 2, 2});
        a.Ints(kPadding, {0, 0, 0});
        a.Tensor(kOutRef, {1, 3, 4, 5}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("room/outputSize", [](CallArguments& a) {
    a.Ints(kOutputSize, {3, 0, 5});
    a.Tensor(kOutRef, {1, 3, 0, 5}, kFloat);
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kSelf, {0, 2, 2, 2}, kFloat);
    a.Tensor(kIndices, {0, 2, 2, 2}, DType::kInt64);
    a.Ints(kOutputSize, {3, 0, 5});
    a.Tensor(kOutRef, {0, 3, 0, 5}, kFloat);
  });
  harness.ExpectRule("shape/outRef", [](CallArguments& a) { a.Ints(kOutputSize, {3, 5, 4}); });
  harness.ExpectEveryRuleCovered({"max_unpool3d/product"});
}

TEST(MaxUnpoolContract, EveryRuleOfTheGradientOfPlanesIsEnforcedAndExplained) {
  using namespace max_unpool::planes_backward;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnMaxUnpool2dBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnMaxUnpool2dBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOutput, {1, 4, 5}, kFloat);
        a.Tensor(kSelf, {1, 2, 2}, kFloat);
        a.Tensor(kIndices, {1, 2, 2}, DType::kInt32);
        a.Ints(kOutputSize, {4, 5});
        a.Tensor(kOut, {1, 2, 2}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("room/outputSize", [](CallArguments& a) {
    a.Ints(kOutputSize, {4, 0});
    a.Tensor(kGradOutput, {1, 4, 0}, kFloat);
  });
  harness.ExpectRule("shape/gradOutput", [](CallArguments& a) { a.Ints(kOutputSize, {5, 4}); });
  // self is what indices and out agree with.
  harness.ExpectRule("shape/gradOutput", [](CallArguments& a) {
    a.Tensor(kGradOutput, {3, 4, 5}, kFloat);
  });
  harness.ExpectEveryRuleCovered({"max_unpool2d_backward/product"});
}

TEST(MaxUnpoolContract, EveryRuleOfTheGradientOfVolumesIsEnforcedAndExplained) {
  using namespace max_unpool::volumes_backward;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnMaxUnpool3dBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnMaxUnpool3dBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOutput, {1, 3, 4, 5}, kFloat);
        a.Tensor(kSelf, {1, 2, 2, 2}, kFloat);
        a.Tensor(kIndices, {1, 2, 2, 2}, DType::kInt64);
        a.Ints(kOutputSize, {3, 4, 5});
        a.Ints(kStride, {2, 2, 2});
        a.Ints(kPadding, {0, 0, 0});
        a.Tensor(kOut, {1, 2, 2, 2}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("room/outputSize", [](CallArguments& a) {
    a.Ints(kOutputSize, {0, 4, 5});
    a.Tensor(kGradOutput, {1, 0, 4, 5}, kFloat);
  });
  harness.ExpectRule("shape/gradOutput", [](CallArguments& a) { a.Ints(kOutputSize, {3, 5, 4}); });
  harness.ExpectRule("shape/gradOutput", [](CallArguments& a) {
    a.Tensor(kGradOutput, {2, 3, 4, 5}, kFloat);
  });
  harness.ExpectEveryRuleCovered({"max_unpool3d_backward/product"});
}

}  // namespace
}  // namespace aclimb::testing::max_unpool_test
