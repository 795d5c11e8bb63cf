// aclnnRoiAlignV2Backward: what is particular to it; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/contract.h"
#include "aclimb/ops/roi_align_v2_backward/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::roi_align_v2_backward {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::IntArray;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;

using Values = std::vector<double>;
using Shape = std::vector<int64_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

struct Attributes {
  float spatial_scale;
  int64_t sampling_ratio;
  bool aligned;
};

// A 4 x 4 map of zeros, but for the pixels [y, x] of a square.
Values Square(int64_t y, int64_t x, int64_t side, double value) {
  Values map(16, 0.0);
  for (int64_t i = 0; i < side * side; ++i) {
    map[static_cast<size_t>((y + i / side) * 4 + x + i % side)] = value;
  }
  return map;
}

// The seed's sample: pairs of rows, and pairs of columns.
Values SampleResult() {
  Values result;
  for (double row : {1.125, 4.125, 7.125}) {
    for (int twice = 0; twice < 2; ++twice) {
      for (double step : {0.0, 0.0, 0.5, 0.5, 1.0, 1.0}) result.push_back(row + step);
    }
  }
  return result;
}

class RoiAlignV2Backward : public aclimb::testing::DeviceTest {
 protected:
  // One channel; `out` and `pool` are [B, 1, H, W] and [pooled height, pooled width].
  void Expect(const char* name, const Shape& out_shape, const Shape& pool, Attributes attributes,
              const Values& of_bins, const Values& of_boxes, const Values& expected) {
    SCOPED_TRACE(name);
    const auto regions = static_cast<int64_t>(of_boxes.size()) / 5;
    const DeviceTensor grad({regions, 1, pool[0], pool[1]}, DType::kFloat32, of_bins,
                            {.format = ACL_FORMAT_NCHW});
    const DeviceTensor boxes({regions, 5}, DType::kFloat32, of_boxes);
    const DeviceTensor out(out_shape, DType::kFloat32, {}, {.format = ACL_FORMAT_NCHW});
    const IntArray shape(out_shape);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnRoiAlignV2BackwardGetWorkspaceSize(
              grad, boxes, shape, pool[0], pool[1], attributes.spatial_scale,
              attributes.sampling_ratio, attributes.aligned, out, size, executor);
        },
        &aclnnRoiAlignV2Backward, stream_));
    EXPECT_TRUE(Near(out.Values(), expected, {1e-6, 0}));
  }
};

// Results by hand, from the document.
TEST_F(RoiAlignV2Backward, DocumentedResults) {
  const Shape four = {1, 1, 4, 4}, three = {1, 1, 3, 3}, six = {1, 1, 6, 6};
  const Values sample = {4.5, 6.5, 8.5, 16.5, 18.5, 20.5, 28.5, 30.5, 32.5};
  const Values sample_box = {0, -2, -2, 22, 22};
  const double below = static_cast<double>(std::nextafter(-2.0f, -3.0f)) - 0.5;
  Expect("the seed's sample", six, {3, 3}, {0.25f, 2, false}, sample, sample_box, SampleResult());
  Expect("its adaptive grid", six, {3, 3}, {0.25f, 0, false}, sample, sample_box, SampleResult());
  Expect("the sample, aligned", six, {3, 3}, {0.25f, 2, true}, sample, sample_box,
         {2.53125, 2.0625, 2.4375, 2.8125, 3.1875, 1.59375,  //
          3.9375,  2.875,  3.125,  3.375,  3.625,  1.8125,   //
          6.1875,  4.375,  4.625,  4.875,  5.125,  2.5625,   //
          8.4375,  5.875,  6.125,  6.375,  6.625,  3.3125,   //
          10.6875, 7.375,  7.625,  7.875,  8.125,  4.0625,   //
          5.34375, 3.6875, 3.8125, 3.9375, 4.0625, 2.03125});
  Expect("empty, grown", four, {1, 1}, {1, 1, false}, {1}, {0, 1, 1, 1, 1}, Square(1, 1, 2, .25));
  Expect("empty, aligned", four, {1, 1}, {1, 1, true}, {1}, {0, 1, 1, 1, 1}, Square(0, 0, 2, .25));
  Expect("empty, adaptive", four, {1, 1}, {1, 0, true}, {1}, {0, 1, 1, 1, 1}, Values(16, 0));
  Expect("reversed, grown", four, {1, 1}, {1, 1, false}, {1}, {0, 3, 3, 1, 1}, Square(3, 3, 1, 1));
  Expect("reversed, aligned", four, {1, 1}, {1, 1, true}, {1}, {0, 3, 3, 1, 1},
         Square(1, 1, 2, .25));
  Expect("grids differ per axis", four, {1, 2}, {1, 0, false}, {1, 2}, {0, 0, 0, 4, 2},
         {.0625, .125, .1875, .375, .125, .25, .375, .75,  //
          .0625, .125, .1875, .375, 0, 0, 0, 0});
  Expect("aligned grids", four, {1, 2}, {1, 0, true}, {1, 2}, {0, 0, 0, 4, 2},
         {.25, .25, .5, .5, .25, .25, .5, .5, 0, 0, 0, 0, 0, 0, 0, 0});
  Expect("samples before the map lose their share", four, {2, 2}, {1, 1, false}, {1, 2, 3, 4},
         {0, -4, -4, 0, 0}, Square(0, 0, 1, 4));
  Expect("and behind it", four, {2, 2}, {1, 1, false}, {1, 2, 3, 4}, {0, 2, 2, 6, 6},
         Square(3, 3, 1, 1));
  Expect("the lower boundary is inside", three, {1, 1}, {1, 1, false}, {1}, {0, -2, -2, 0, 0},
         {1, 0, 0, 0, 0, 0, 0, 0, 0});
  Expect("the upper boundary too", three, {1, 1}, {1, 1, false}, {1}, {0, 2, 2, 4, 4},
         {0, 0, 0, 0, 0, 0, 0, 0, 1});
  Expect("one step further out", three, {1, 1}, {1, 1, false}, {1}, {0, below, -2, 0, 0},
         Values(9, 0));
  Expect("regions add within their image", {2, 1, 3, 3}, {1, 1}, {1, 1, true}, {1, 2, 3},
         {1, 0, 0, 2, 2, 0, 1, 1, 3, 3, 1, 0, 0, 2, 2},
         {0, 0, 0, 0, .5, .5, 0, .5, .5, 1, 1, 0, 1, 1, 0, 0, 0, 0});
  Expect("a map of one pixel", {1, 1, 1, 1}, {2, 2}, {1, 2, false}, {1, 2, 3, 4}, {0, 0, 0, 1, 1},
         {10});
  // Three samples per bin, on pixel centres.
  Expect("bins of three pixels", six, {2, 2}, {1, 0, true}, {9, 18, 27, 36}, {0, 0, 0, 6, 6},
         {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2,
          3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4});
  // A million samples per axis, one a pixel, at 0.5, 1.5 ...: four fall on the map.
  Expect("a huge adaptive box", four, {1, 1}, {1, 0, false}, {1e12}, {0, 0, 0, 1e6, 1e6},
         {.25, .5, .5, .75, .5, 1, 1, 1.5, .5, 1, 1, 1.5, .75, 1.5, 1.5, 2.25});
  // So many along x that no integer counts them.
  Expect("a box without end", four, {1, 1}, {1, 0, false}, {4e20}, {0, 0, 0, 1e20, 4},
         {.25, .5, .5, .75, .5, 1, 1, 1.5, .5, 1, 1, 1.5, .75, 1.5, 1.5, 2.25});

  Values boxes;
  for (double image : {2.0, -1.0, -.3, kNaN, kInf, -kInf, 1e30, 1.0, 1.7}) {
    boxes.insert(boxes.end(), {image, 0, 0, 1, 1});
  }
  Expect("images outside are skipped, and numbers round down", {2, 1, 2, 2}, {1, 1}, {1, 1, true},
         {5, 5, 5, 5, 5, 5, 5, 7, 1}, boxes, {0, 0, 0, 0, 8, 0, 0, 0});
}

class RoiAlignV2BackwardContract : public ::testing::Test {
 protected:
  static void FillValidCall(CallArguments& arguments) {
    arguments.Tensor(kGradOutput, {3, 2, 7, 5}, DType::kFloat32, ACL_FORMAT_NCHW);
    arguments.Tensor(kBoxes, {3, 5}, DType::kFloat32);
    arguments.Ints(kInputShape, {2, 2, 11, 13});
    arguments.Integer(kPooledHeight, 7);
    arguments.Integer(kPooledWidth, 5);
    arguments.Real(kSpatialScale, 0.25);
    arguments.Integer(kSamplingRatio, 2);
    arguments.Bool(kAligned, true);
    arguments.Tensor(kGradInput, {2, 2, 11, 13}, DType::kFloat32, ACL_FORMAT_NCHW);
  }
  ContractHarness<decltype(aclnnRoiAlignV2BackwardGetWorkspaceSize)> harness_ = {
      kContract, &aclnnRoiAlignV2BackwardGetWorkspaceSize, &FillValidCall,
      aclimb::testing::Naming::kEach};
};

TEST_F(RoiAlignV2BackwardContract, NumbersAtTheirBounds) {
  for (double scale : {0.0, -1.0, 1e-39, kNaN}) {
    harness_.ExpectRule("range/spatialScale",
                        [scale](CallArguments& a) { a.Real(kSpatialScale, scale); });
  }
  harness_.ExpectAccepted([](CallArguments& a) { a.Real(kSpatialScale, 1.2e-38); });
  harness_.ExpectRule("shape/gradOutput", [](CallArguments& a) { a.Integer(kPooledWidth, -5); });
}

// FLOAT everywhere, and on every product; boxes in ND alone, the others in NCHW alone.
TEST_F(RoiAlignV2BackwardContract, DTypesFormatsAndProducts) {
  for (const char* chip : {"Ascend310P", "Ascend310P3", "Ascend910A", "Ascend910B", "Ascend910B3",
                           "Ascend910_9391", "Ascend950PR_9599"}) {
    const aclimb::testing::Setting product("ACLIMB_SOC", chip);
    SCOPED_TRACE(chip);
    harness_.ExpectAccepted();
    harness_.ExpectViolation("roi_align_v2_backward/dtype/boxes", 161002, [](CallArguments& a) {
      a.Tensor(kBoxes, {3, 5}, DType::kFloat16);
    });
  }
  for (aclFormat format : {ACL_FORMAT_ND, ACL_FORMAT_NHWC}) {
    harness_.ExpectViolation("roi_align_v2_backward/format/gradOutput", 161002,
                             [format](CallArguments& a) {
                               a.Tensor(kGradOutput, {3, 2, 7, 5}, DType::kFloat32, format);
                             });
    harness_.ExpectViolation("roi_align_v2_backward/format/gradInput", 161002,
                             [format](CallArguments& a) {
                               a.Tensor(kGradInput, {2, 2, 11, 13}, DType::kFloat32, format);
                             });
  }
  harness_.ExpectViolation("roi_align_v2_backward/format/boxes", 161002, [](CallArguments& a) {
    a.Tensor(kBoxes, {3, 5}, DType::kFloat32, ACL_FORMAT_NCHW);
  });
}

}  // namespace
}  // namespace aclimb::roi_align_v2_backward

namespace aclimb::testing::roi_align_v2_backward_test {

ACLIMB_OPERATOR_SUITE(RoiAlignV2Backward, roi_align_v2_backward::kOperators);

}  // namespace aclimb::testing::roi_align_v2_backward_test
