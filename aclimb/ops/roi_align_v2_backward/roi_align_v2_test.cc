// aclnnRoiAlignV2: what is particular to it; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclnnop/aclnn_roi_align_v2.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"

namespace aclimb::roi_align_v2_backward {
namespace {

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
  const double regions[7][5] = {
      {1, 0, 0, 2, 2}, {-0.3, 0, 0, 2, 2},    {std::nan(""), 0, 0, 2, 2}, {0, 9, 9, 9, 9},
      {0, 2, 2, 1, 1}, {0, kInf, 0, kInf, 2}, {0, -1e6, -1e6, 1e6, 1e6}};
  const DeviceTensor boxes({7, 5}, DType::kFloat32, {&regions[0][0], &regions[0][0] + 35});
  const DeviceTensor out({7, 1, 1, 1}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(self, boxes, 0, true, out));
  const std::vector<double> got = out.Values();
  EXPECT_EQ(std::vector<double>(got.begin(), got.end() - 1), std::vector<double>(6, 0));
  EXPECT_GT(got.back(), 0);
  EXPECT_LT(got.back(), 1e-10);
}

// A pixel that is NaN or infinite shows in the bins that read it alone, though bins are added up in
// vectors; the others keep their bits.
TEST_F(RoiAlignV2, WhatIsNotFiniteStaysWithItsBins) {
  constexpr int64_t kHeight = 8, kWidth = 64;
  std::vector<double> map;
  for (int i = 0; i < kHeight * kWidth; ++i) map.push_back((i * 37 % 101) / 64.0 - 0.7);
  const DeviceTensor boxes({1, 5}, DType::kFloat32, {0, 0, 0, 63, 7});
  const DeviceTensor out({1, 1, 2, 4}, DType::kFloat32);
  ACLIMB_EXPECT_OK(
      Run(DeviceTensor({1, 1, kHeight, kWidth}, DType::kFloat32, map), boxes, 0, true, out));
  const std::vector<double> finite = out.Values();
  for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::vector<double> with = map;
    with[1 * kWidth + 61] = odd;  // of the last bin of the first row
    ACLIMB_EXPECT_OK(
        Run(DeviceTensor({1, 1, kHeight, kWidth}, DType::kFloat32, with), boxes, 0, true, out));
    const std::vector<double> got = out.Values();
    for (size_t bin = 0; bin < got.size(); ++bin) {
      if (bin == 3) {
        EXPECT_EQ(std::isnan(got[bin]), std::isnan(odd));
        EXPECT_FALSE(std::isfinite(got[bin]));
      } else {
        EXPECT_EQ(got[bin], finite[bin]) << bin;
      }
    }
  }
}

// One sample for each of two bins of twenty columns: the columns between them are not read.
TEST_F(RoiAlignV2, ColumnsThatLieApart) {
  std::vector<double> map(40, std::nan(""));
  map[9] = 1, map[10] = 3;  // the sample at 9.5
  map[29] = 5, map[30] = 9;
  const DeviceTensor self({1, 1, 1, 40}, DType::kFloat32, map);
  const DeviceTensor boxes({1, 5}, DType::kFloat32, {0, 0, 0, 40, 1});
  const DeviceTensor out({1, 1, 1, 2}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(self, boxes, 1, true, out));
  EXPECT_EQ(out.Values(), (std::vector<double>{2, 7}));
}

}  // namespace
}  // namespace aclimb::roi_align_v2_backward
