// aclnnRoiAlignV2: what is particular to it; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/forward_contract.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"

namespace aclimb::roi_align_v2_backward {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;

class RoiAlignV2 : public aclimb::testing::DeviceTest {
 protected:
  int Run(const DeviceTensor& self, const DeviceTensor& boxes, int64_t ratio, bool aligned,
          const DeviceTensor& out) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnRoiAlignV2GetWorkspaceSize(self, boxes, out.shape()[2], out.shape()[3], 1.0f,
                                                 ratio, aligned, out, size, executor);
        },
        &aclnnRoiAlignV2, stream_);
  }
};

// A map whose pixels are linear in their coordinates: a sample is its coordinates.
TEST_F(RoiAlignV2, SamplesOfALinearMap) {
  std::vector<double> map;
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 6; ++x) map.push_back(10 * y + x);
  }
  const DeviceTensor self({1, 1, 6, 6}, DType::kFloat32, map);
  const DeviceTensor boxes({1, 5}, DType::kFloat32, {0, 1, 1, 5, 5});
  const DeviceTensor out({1, 1, 2, 2}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(self, boxes, 0, false, out));
  EXPECT_TRUE(Near(out.Values(), {22, 24, 42, 44}, {1e-6, 0}));
  ACLIMB_EXPECT_OK(Run(self, boxes, 2, true, out));
  EXPECT_TRUE(Near(out.Values(), {16.5, 18.5, 36.5, 38.5}, {1e-6, 0}));
}

// Those that are not there, and regions without an extent or of any size.
TEST_F(RoiAlignV2, RegionsWithoutSamplesAreZeros) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const DeviceTensor self({1, 1, 2, 2}, DType::kFloat32, {1, 1, 1, 1});
  const DeviceTensor boxes({7, 5}, DType::kFloat32,
                           {1,
                            0,
                            0,
                            2,
                            2,
                            -0.3,
                            0,
                            0,
                            2,
                            2,  //
                            std::nan(""),
                            0,
                            0,
                            2,
                            2,
                            0,
                            9,
                            9,
                            9,
                            9,  //
                            0,
                            2,
                            2,
                            1,
                            1,
                            0,
                            kInf,
                            0,
                            kInf,
                            2,  //
                            0,
                            -1e6,
                            -1e6,
                            1e6,
                            1e6});
  const DeviceTensor out({7, 1, 1, 1}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(self, boxes, 0, true, out));
  const std::vector<double> got = out.Values();
  EXPECT_EQ(std::vector<double>(got.begin(), got.end() - 1), std::vector<double>(6, 0));
  EXPECT_GT(got.back(), 0);
  EXPECT_LT(got.back(), 1e-10);
}

TEST(RoiAlignV2Contract, EveryRule) {
  namespace P = forward;
  ContractHarness<decltype(aclnnRoiAlignV2GetWorkspaceSize)> harness(
      kForwardContract, &aclnnRoiAlignV2GetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(P::kSelf, {2, 3, 8, 9}, DType::kFloat32, ACL_FORMAT_NCHW);
        a.Tensor(P::kBoxes, {4, 5}, DType::kFloat32);
        a.Integer(P::kPooledHeight, 6);
        a.Integer(P::kPooledWidth, 7);
        a.Real(P::kSpatialScale, 1);
        a.Integer(P::kSamplingRatio, 0);
        a.Bool(P::kAligned, false);
        a.Tensor(P::kOut, {4, 3, 6, 7}, DType::kFloat32, ACL_FORMAT_NCHW);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"roi_align_v2/environment"});
}

TEST(RoiAlignContract, EveryRule) {
  using P = First;
  ContractHarness<decltype(aclnnRoiAlignGetWorkspaceSize)> harness(
      kFirstContract, &aclnnRoiAlignGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(P::kSelf, {2, 3, 8, 9}, DType::kFloat32, ACL_FORMAT_NCHW);
        a.Tensor(P::kRois, {5, 4}, DType::kFloat32);
        a.Tensor(P::kBatchIndices, {5}, DType::kInt32);
        a.String(P::kMode, "avg");
        a.Integer(P::kOutputHeight, 6);
        a.Integer(P::kOutputWidth, 7);
        a.Integer(P::kSamplingRatio, 0);
        a.Real(P::kSpatialScale, 1);
        a.Tensor(P::kOut, {5, 3, 6, 7}, DType::kFloat32, ACL_FORMAT_NCHW);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("mode", [](CallArguments& a) { a.String(P::kMode, "max"); });
  harness.ExpectEveryRuleCovered({"roi_align/environment"});
}

}  // namespace
}  // namespace aclimb::roi_align_v2_backward
