// What is particular to images on a cubic curve and to volumes; the suite has the rest.

#include <cmath>
#include <vector>

#include "aclimb/ops/upsample/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"

namespace aclimb::testing {
namespace {

class Volumes : public DeviceTest {};

// Between 0 and 1 of 0, 0, 1, 1 the curve is symmetric; at a quarter it is 0.1015625 below the
// line.
TEST_F(Volumes, CubicCurvesGoThroughTheElements) {
  const DeviceTensor self({1, 1, 1, 4}, DType::kFloat32, {0, 0, 1, 1});
  const DeviceTensor out({1, 1, 1, 13}, DType::kFloat32);
  const IntArray size({1, 13});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleBicubic2dGetWorkspaceSize(self, size, true, 0, 0, out, workspace,
                                                      executor);
      },
      &aclnnUpsampleBicubic2d, stream_));
  const std::vector<double> values = out.Values();
  const std::vector<double> elements = {0, 0, 1, 1};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(values[4 * i], elements[i], 1e-6);
  EXPECT_NEAR(values[5], 0.2265625, 1e-6);
  EXPECT_NEAR(values[6], 0.5, 1e-6);
  EXPECT_NEAR(values[5] + values[7], 1, 1e-6);
}

TEST_F(Volumes, TheMiddleOfACubeIsTheMeanOfItsCorners) {
  const DeviceTensor self({1, 1, 2, 2, 2}, DType::kFloat64, {1, 2, 3, 4, 5, 6, 7, 16});
  const DeviceTensor out({1, 1, 3, 3, 3}, DType::kFloat64);
  const IntArray size({3, 3, 3});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleTrilinear3dGetWorkspaceSize(self, size, true, 0, 0, 0, out, workspace,
                                                        executor);
      },
      &aclnnUpsampleTrilinear3d, stream_));
  const std::vector<double> values = out.Values();
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[13], 5.5);
  EXPECT_EQ(values[26], 16);
}

TEST_F(Volumes, TheNearestKeepTheSignOfZero) {
  const DeviceTensor self({1, 1, 1, 1, 2}, DType::kFloat64, {-0.0, 1e300});
  const DeviceTensor out({1, 1, 2, 1, 4}, DType::kFloat64);
  const IntArray size({2, 1, 4});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dGetWorkspaceSize(self, size, 0, 0, 0, out, workspace,
                                                      executor);
      },
      &aclnnUpsampleNearest3d, stream_));
  const std::vector<double> values = out.Values();
  EXPECT_EQ(values, (std::vector<double>{0, 0, 1e300, 1e300, 0, 0, 1e300, 1e300}));
  EXPECT_TRUE(std::signbit(values[0]));
  EXPECT_TRUE(std::signbit(values[5]));
}

TEST(VolumesContract, Bicubic) {
  using namespace upsample::bicubic;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleBicubic2dGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleBicubic2dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 2, 3}, DType::kFloat32);
        a.Ints(kOutputSize, {4, 5});
        a.Bool(kAlignCorners, true);
        a.Real(kScalesH, 0);
        a.Real(kScalesW, 0);
        a.Tensor(kOut, {1, 2, 4, 5}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("images/self", [](CallArguments& a) {
    a.Tensor(kSelf, {1, 2, 0, 3}, DType::kFloat32);
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kOutputSize, {4, 4}); });
  harness.ExpectEveryRuleCovered({"upsample_bicubic2d/product"});
}

TEST(VolumesContract, BicubicBackward) {
  using namespace upsample::bicubic_backward;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleBicubic2dBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleBicubic2dBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOut, {1, 2, 4, 5}, DType::kFloat32);
        a.Ints(kOutputSize, {4, 5});
        a.Ints(kInputSize, {1, 2, 2, 3});
        a.Bool(kAlignCorners, true);
        a.Real(kScalesH, 0);
        a.Real(kScalesW, 0);
        a.Tensor(kGradInput, {1, 2, 2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("images/inputSize", [](CallArguments& a) {
    a.Ints(kInputSize, {1, 2, 0, 3});
  });
  harness.ExpectRule("shape/gradOut", [](CallArguments& a) { a.Ints(kOutputSize, {4, 4}); });
  harness.ExpectRule("shape/gradient", [](CallArguments& a) { a.Ints(kInputSize, {1, 2, 3, 3}); });
  harness.ExpectEveryRuleCovered({"upsample_bicubic2d_backward/product"});
}

TEST(VolumesContract, Trilinear) {
  using namespace upsample::trilinear;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleTrilinear3dGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleTrilinear3dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 2, 2, 3}, DType::kFloat32);
        a.Ints(kOutputSize, {3, 4, 5});
        a.Bool(kAlignCorners, true);
        a.Real(kScalesD, 0);
        a.Real(kScalesH, 0);
        a.Real(kScalesW, 0);
        a.Tensor(kOut, {1, 2, 3, 4, 5}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("images/self", [](CallArguments& a) {
    a.Tensor(kSelf, {1, 2, 2, 0, 3}, DType::kFloat32);
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kOutputSize, {3, 4, 4}); });
  harness.ExpectEveryRuleCovered({"upsample_trilinear3d/product"});
}

TEST(VolumesContract, TrilinearBackward) {
  using namespace upsample::trilinear_backward;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOut, {1, 2, 3, 4, 5}, DType::kFloat32);
        a.Ints(kOutputSize, {3, 4, 5});
        a.Ints(kInputSize, {1, 2, 2, 2, 3});
        a.Bool(kAlignCorners, true);
        a.Real(kScalesD, 0);
        a.Real(kScalesH, 0);
        a.Real(kScalesW, 0);
        a.Tensor(kGradInput, {1, 2, 2, 2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("images/inputSize", [](CallArguments& a) {
    a.Ints(kInputSize, {1, 2, 2, 0, 3});
  });
  harness.ExpectRule("shape/gradOut", [](CallArguments& a) { a.Ints(kOutputSize, {3, 4, 4}); });
  harness.ExpectRule("shape/gradient", [](CallArguments& a) {
    a.Ints(kInputSize, {1, 2, 2, 3, 3});
  });
  harness.ExpectEveryRuleCovered({"upsample_trilinear3d_backward/product"});
}

TEST(VolumesContract, Nearest) {
  using namespace upsample::nearest3d;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleNearest3dGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleNearest3dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 2, 2, 3}, DType::kFloat32);
        a.Ints(kOutputSize, {3, 4, 5});
        a.Real(kScalesD, 0);
        a.Real(kScalesH, 0);
        a.Real(kScalesW, 0);
        a.Tensor(kOut, {1, 2, 3, 4, 5}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("images/self", [](CallArguments& a) {
    a.Tensor(kSelf, {1, 2, 2, 0, 3}, DType::kFloat32);
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kOutputSize, {3, 4, 4}); });
  harness.ExpectEveryRuleCovered({"upsample_nearest3d/product"});
}

TEST(VolumesContract, NearestBackward) {
  using namespace upsample::nearest3d_backward;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUpsampleNearest3dBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnUpsampleNearest3dBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOut, {1, 2, 3, 4, 5}, DType::kFloat32);
        a.Ints(kOutputSize, {3, 4, 5});
        a.Ints(kInputSize, {1, 2, 2, 2, 3});
        a.Real(kScalesD, 0);
        a.Real(kScalesH, 0);
        a.Real(kScalesW, 0);
        a.Tensor(kGradInput, {1, 2, 2, 2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("images/inputSize", [](CallArguments& a) {
    a.Ints(kInputSize, {1, 2, 2, 0, 3});
  });
  harness.ExpectRule("shape/gradOut", [](CallArguments& a) { a.Ints(kOutputSize, {3, 4, 4}); });
  harness.ExpectRule("shape/gradient", [](CallArguments& a) {
    a.Ints(kInputSize, {1, 2, 2, 3, 3});
  });
  harness.ExpectEveryRuleCovered({"upsample_nearest3d_backward/product"});
}

}  // namespace
}  // namespace aclimb::testing
