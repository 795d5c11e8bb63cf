// What is particular to windows of volumes; the suite has the rest.

#include <cmath>
#include <vector>

#include "aclimb/ops/pooling/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"

namespace aclimb::testing::pooling_test {
namespace {

using Values = std::vector<double>;

class Pooling3d : public DeviceTest {};

TEST_F(Pooling3d, IndicesCountTheElementsOfAVolume) {
  const double nan = std::nan("");
  const DeviceTensor self({1, 2, 2, 4}, DType::kFloat32,
                          {1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, nan, 1, 1, nan, 1});
  const DeviceTensor out({1, 1, 1, 2}, DType::kFloat32), indices({1, 1, 1, 2}, DType::kInt32);
  const IntArray two({2}), none({}), zero({0}), one({1});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool3dWithArgmaxGetWorkspaceSize(self, two, none, zero, one, false, out,
                                                        indices, size, executor);
      },
      &aclnnMaxPool3dWithArgmax, stream_));
  EXPECT_TRUE(Near(out.Values(), {9, nan}, {}));
  EXPECT_EQ(indices.Values(), (Values{8, 14}));
}

template <typename Harness>
void ExpectWindowRules(Harness& harness, int self, int kernel, int stride, int padding) {
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("counts/windows", [=](CallArguments& a) { a.Ints(kernel, {2, 2}); });
  harness.ExpectAccepted([=](CallArguments& a) { a.Ints(stride, {2, 2, 2}); });
  harness.ExpectRule("volumes/self", [=](CallArguments& a) {
    a.Tensor(self, {1, 2, 0, 4, 4}, DType::kFloat32);
  });
  harness.ExpectRule("half/padding", [=](CallArguments& a) { a.Ints(padding, {2}); });
  harness.ExpectRule("shape/pooled", [=](CallArguments& a) { a.Ints(kernel, {3}); });
  harness.ExpectRule("shape/pooled", [=](CallArguments& a) { a.Ints(kernel, {5}); });
}

// The window's elements are more than 2^64.
TEST_F(Pooling3d, WindowsMayBeMuchLargerThanTheVolume) {
  const IntArray kernel({4194304}), padding({2097152}), one({1});
  const DeviceTensor self({1, 1, 1, 1}, DType::kFloat32, {-3});
  const DeviceTensor out({1, 2, 2, 2}, DType::kFloat32), indices({1, 2, 2, 2}, DType::kInt32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool3dWithArgmaxGetWorkspaceSize(self, kernel, one, padding, one, false, out,
                                                        indices, size, executor);
      },
      &aclnnMaxPool3dWithArgmax, stream_));
  EXPECT_EQ(out.Values(), std::vector<double>(8, -3));
  EXPECT_EQ(indices.Values(), std::vector<double>(8, 0));
}

TEST(Pooling3dContract, EveryRuleOfMaximaIsEnforcedAndExplained) {
  using namespace pooling::max3d::forward;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnMaxPool3dWithArgmaxGetWorkspaceSize)> harness(
      kContract, &aclnnMaxPool3dWithArgmaxGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 4, 4, 4}, DType::kFloat32);
        a.Ints(kKernelSize, {2});
        a.Ints(kStride, {});
        a.Ints(kPadding, {0});
        a.Ints(kDilation, {1});
        a.Bool(kCeilMode, false);
        a.Tensor(kOut, {1, 2, 2, 2, 2}, DType::kFloat32);
        a.Tensor(kIndices, {1, 2, 2, 2, 2}, DType::kInt32);
      });
  ExpectWindowRules(harness, kSelf, kKernelSize, kStride, kPadding);
  harness.ExpectEveryRuleCovered({"max_pool3d_with_argmax/product"});
}

TEST(Pooling3dContract, EveryRuleOfTheGradientOfMaximaIsEnforcedAndExplained) {
  using namespace pooling::max3d::backward;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOutput, {1, 2, 2, 2, 2}, DType::kFloat32);
        a.Tensor(kSelf, {1, 2, 4, 4, 4}, DType::kFloat32);
        a.Tensor(kIndices, {1, 2, 2, 2, 2}, DType::kInt32);
        a.Ints(kKernelSize, {2});
        a.Ints(kStride, {});
        a.Ints(kPadding, {0});
        a.Ints(kDilation, {1});
        a.Bool(kCeilMode, false);
        a.Tensor(kGradInput, {1, 2, 4, 4, 4}, DType::kFloat32);
      });
  ExpectWindowRules(harness, kSelf, kKernelSize, kStride, kPadding);
  harness.ExpectEveryRuleCovered({"max_pool3d_with_argmax_backward/product"});
}

TEST(Pooling3dContract, EveryRuleOfMeansIsEnforcedAndExplained) {
  using namespace pooling::average3d;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnAvgPool3dGetWorkspaceSize)> harness(
      kContract, &aclnnAvgPool3dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 4, 4, 4}, DType::kFloat32);
        a.Ints(kKernelSize, {2});
        a.Ints(kStride, {});
        a.Ints(kPadding, {0});
        a.Bool(kCeilMode, false);
        a.Bool(kCountIncludePad, true);
        a.Integer(kDivisorOverride, 0);
        a.Tensor(kOut, {1, 2, 2, 2, 2}, DType::kFloat32);
      });
  ExpectWindowRules(harness, kSelf, kKernelSize, kStride, kPadding);
  harness.ExpectEveryRuleCovered({"avg_pool3d/product"});
}

TEST(Pooling3dContract, EveryRuleOfTheGradientOfMeansIsEnforcedAndExplained) {
  using namespace pooling::average3d_backward;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnAvgPool3dBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnAvgPool3dBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOutput, {1, 2, 2, 2, 2}, DType::kFloat32);
        a.Tensor(kSelf, {1, 2, 4, 4, 4}, DType::kFloat32);
        a.Ints(kKernelSize, {2});
        a.Ints(kStride, {});
        a.Ints(kPadding, {0});
        a.Bool(kCeilMode, false);
        a.Bool(kCountIncludePad, true);
        a.Integer(kDivisorOverride, 0);
        a.Tensor(kOutput, {1, 2, 4, 4, 4}, DType::kFloat32);
      });
  ExpectWindowRules(harness, kSelf, kKernelSize, kStride, kPadding);
  harness.ExpectEveryRuleCovered({"avg_pool3d_backward/product"});
}

// Windows of eight elements, four of them in the padding in the corners' layers.
TEST_F(Pooling3d, MeansCountThePaddingWhenTheyAreTold) {
  const DeviceTensor self({1, 2, 2, 2}, DType::kFloat32, {1, 2, 3, 4, 5, 6, 7, 8});
  const DeviceTensor out({1, 2, 1, 1}, DType::kFloat32);
  const IntArray two({2}), padding({1, 0, 0});
  const auto run = [&](bool counted, int64_t divisor) {
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnAvgPool3dGetWorkspaceSize(self, two, two, padding, false, counted, divisor,
                                                out, size, executor);
        },
        &aclnnAvgPool3d, stream_));
    return out.Values();
  };
  EXPECT_EQ(run(true, 0), (Values{10.0 / 8, 26.0 / 8}));
  EXPECT_EQ(run(false, 0), (Values{10.0 / 4, 26.0 / 4}));
  EXPECT_EQ(run(true, 2), (Values{5, 13}));
}

// So many along a dimension that counting them would take for ever, and none in all.
TEST_F(Pooling3d, NoWindowsGiveNoGradient) {
  const std::vector<int64_t> shape = {1, pooling::kMost, pooling::kMost, 0};
  const DeviceTensor none(shape, DType::kFloat32), indices(shape, DType::kInt32);
  const DeviceTensor self({1, 1, 1, 1}, DType::kFloat32), out({1, 1, 1, 1}, DType::kFloat32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize(none, self, out, size, executor);
      },
      &aclnnAdaptiveAvgPool3dBackward, stream_));
  EXPECT_EQ(out.Values(), Values{0});
  const DeviceTensor of_maxima({1, 1, 1, 1}, DType::kFloat32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(none, self, indices, of_maxima, size,
                                                              executor);
      },
      &aclnnAdaptiveMaxPool3dBackward, stream_));
  EXPECT_EQ(of_maxima.Values(), Values{0});
}

// Of two windows along five layers the third layer is in both.
TEST_F(Pooling3d, SharingWindowsOverlap) {
  const double nan = std::nan("");
  const DeviceTensor self({1, 5, 1, 2}, DType::kFloat32, {1, 2, 3, 4, 9, 6, 7, 8, nan, 2});
  const DeviceTensor out({1, 2, 1, 1}, DType::kFloat32), indices({1, 2, 1, 1}, DType::kInt32);
  const IntArray shares({2, 1, 1});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnAdaptiveMaxPool3dGetWorkspaceSize(self, shares, out, indices, size, executor);
      },
      &aclnnAdaptiveMaxPool3d, stream_));
  EXPECT_TRUE(Near(out.Values(), {9, nan}, {}));
  EXPECT_EQ(indices.Values(), (Values{4, 8}));
}

}  // namespace
}  // namespace aclimb::testing::pooling_test
