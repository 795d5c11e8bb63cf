// The operator through its C interface: results, refusals and edge cases.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/contract.h"
#include "aclimb/ops/roi_align_v2_backward/operators.h"
#include "aclimb/ops/roi_align_v2_backward/test_problem.h"
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
using aclimb::testing::Random;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Workspace;

using Values = std::vector<double>;
using Shape = std::vector<int64_t>;
using Harness = ContractHarness<decltype(aclnnRoiAlignV2BackwardGetWorkspaceSize)>;

struct Attributes {
  float spatial_scale = 1.0f;
  int64_t sampling_ratio = 1;
  bool aligned = false;
};

class RoiAlignV2Backward : public aclimb::testing::DeviceTest {
 protected:
  int Phase1(const DeviceTensor& grad, const DeviceTensor& boxes, const DeviceTensor& out,
             Attributes attributes, uint64_t* size, aclOpExecutor** executor) {
    const IntArray shape(out.shape());
    return aclnnRoiAlignV2BackwardGetWorkspaceSize(
        grad, boxes, shape, grad.shape()[2], grad.shape()[3], attributes.spatial_scale,
        attributes.sampling_ratio, attributes.aligned, out, size, executor);
  }
  int Run(const DeviceTensor& grad, const DeviceTensor& boxes, const DeviceTensor& out,
          Attributes attributes) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return Phase1(grad, boxes, out, attributes, size, executor);
        },
        &aclnnRoiAlignV2Backward, stream_);
  }

  // grad_shape is [K, C, pooled height, pooled width]; empty `grad` means all ones.
  Values Compute(const Shape& out_shape, const Shape& grad_shape, Values grad, const Values& boxes,
                 Attributes attributes) {
    const int64_t count =
        std::accumulate(grad_shape.begin(), grad_shape.end(), int64_t{1}, std::multiplies<>());
    if (grad.empty()) grad.assign(static_cast<size_t>(count), 1.0);
    const DeviceTensor g(grad_shape, DType::kFloat32, grad, {.format = ACL_FORMAT_NCHW});
    const DeviceTensor b({grad_shape[0], 5}, DType::kFloat32, boxes);
    const DeviceTensor out(out_shape, DType::kFloat32, {}, {.format = ACL_FORMAT_NCHW});
    ACLIMB_EXPECT_OK(Run(g, b, out, attributes));
    EXPECT_TRUE(out.SurroundingsIntact());
    return out.Values();
  }
  // One region on a 4 x 4 map.
  Values OnFour(int64_t pooled_height, int64_t pooled_width, const Values& grad, const Values& box,
                Attributes attributes) {
    return Compute({1, 1, 4, 4}, {1, 1, pooled_height, pooled_width}, grad, box, attributes);
  }
};

// A 4 x 4 map of zeros, but for these pixels.
struct Pixel {
  int64_t y, x;
  double value;
};
Values Four(const std::vector<Pixel>& pixels) {
  Values map(16, 0.0);
  for (const Pixel& p : pixels) map[static_cast<size_t>(p.y * 4 + p.x)] = p.value;
  return map;
}

const Values kSeedGrad = {4.5, 6.5, 8.5, 16.5, 18.5, 20.5, 28.5, 30.5, 32.5};
const Values kSeedBox = {0, -2, -2, 22, 22};

TEST_F(RoiAlignV2Backward, SeedSample) {
  Values expected;
  for (double row : {1.125, 4.125, 7.125}) {
    for (int twice = 0; twice < 2; ++twice) {
      for (double step : {0.0, 0.0, 0.5, 0.5, 1.0, 1.0}) expected.push_back(row + step);
    }
  }
  for (int64_t ratio : {2, 0}) {
    EXPECT_EQ(Compute({1, 1, 6, 6}, {1, 1, 3, 3}, kSeedGrad, kSeedBox, {0.25f, ratio, false}),
              expected);
  }
}

TEST_F(RoiAlignV2Backward, SeedSampleAligned) {
  EXPECT_EQ(Compute({1, 1, 6, 6}, {1, 1, 3, 3}, kSeedGrad, kSeedBox, {0.25f, 2, true}),
            (Values{2.53125, 2.0625, 2.4375, 2.8125, 3.1875, 1.59375,  //
                    3.9375,  2.875,  3.125,  3.375,  3.625,  1.8125,   //
                    6.1875,  4.375,  4.625,  4.875,  5.125,  2.5625,   //
                    8.4375,  5.875,  6.125,  6.375,  6.625,  3.3125,   //
                    10.6875, 7.375,  7.625,  7.875,  8.125,  4.0625,   //
                    5.34375, 3.6875, 3.8125, 3.9375, 4.0625, 2.03125}));
}

TEST_F(RoiAlignV2Backward, AnEmptyBoxGrowsToOnePixelUnlessAligned) {
  const Values box = {0, 1, 1, 1, 1};
  EXPECT_EQ(OnFour(1, 1, {}, box, {1, 1, false}),
            Four({{1, 1, .25}, {1, 2, .25}, {2, 1, .25}, {2, 2, .25}}));
  EXPECT_EQ(OnFour(1, 1, {}, box, {1, 1, true}),
            Four({{0, 0, .25}, {0, 1, .25}, {1, 0, .25}, {1, 1, .25}}));
  EXPECT_EQ(OnFour(1, 1, {}, box, {1, 0, true}), Four({}));
}

TEST_F(RoiAlignV2Backward, AdaptiveGridsDifferPerAxis) {
  EXPECT_EQ(OnFour(1, 2, {1, 2}, {0, 0, 0, 4, 2}, {1, 0, false}),
            (Values{.0625, .125, .1875, .375, .125, .25, .375, .75,  //
                    .0625, .125, .1875, .375, 0, 0, 0, 0}));
  EXPECT_EQ(OnFour(1, 2, {1, 2}, {0, 0, 0, 4, 2}, {1, 0, true}),
            (Values{.25, .25, .5, .5, .25, .25, .5, .5, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(RoiAlignV2Backward, SamplesOutsideLoseTheirShare) {
  EXPECT_EQ(OnFour(2, 2, {1, 2, 3, 4}, {0, -4, -4, 0, 0}, {}), Four({{0, 0, 4}}));
  EXPECT_EQ(OnFour(2, 2, {1, 2, 3, 4}, {0, 2, 2, 6, 6}, {}), Four({{3, 3, 1}}));
}

TEST_F(RoiAlignV2Backward, TheBoundaryIsInside) {
  EXPECT_EQ(Compute({1, 1, 3, 3}, {1, 1, 1, 1}, {}, {0, -2, -2, 0, 0}, {}),
            (Values{1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Compute({1, 1, 3, 3}, {1, 1, 1, 1}, {}, {0, 2, 2, 4, 4}, {}),
            (Values{0, 0, 0, 0, 0, 0, 0, 0, 1}));
  // One step further out.
  const double below = std::nextafter(-2.0f, -3.0f) - 0.5f;
  EXPECT_EQ(Compute({1, 1, 3, 3}, {1, 1, 1, 1}, {}, {0, below, -2, 0, 0}, {}), Values(9, 0.0));
}

TEST_F(RoiAlignV2Backward, OverlappingRegionsAddWithinTheirImage) {
  EXPECT_EQ(Compute({2, 1, 3, 3}, {3, 1, 1, 1}, {1, 2, 3},
                    {1, 0, 0, 2, 2, 0, 1, 1, 3, 3, 1, 0, 0, 2, 2}, {1, 1, true}),
            (Values{0, 0, 0, 0, .5, .5, 0, .5, .5, 1, 1, 0, 1, 1, 0, 0, 0, 0}));
}

TEST_F(RoiAlignV2Backward, ReversedBoxes) {
  EXPECT_EQ(OnFour(1, 1, {}, {0, 3, 3, 1, 1}, {1, 1, true}),
            Four({{1, 1, .25}, {1, 2, .25}, {2, 1, .25}, {2, 2, .25}}));
  EXPECT_EQ(OnFour(1, 1, {}, {0, 3, 3, 1, 1}, {1, 1, false}), Four({{3, 3, 1}}));
}

TEST_F(RoiAlignV2Backward, MapOfOnePixel) {
  EXPECT_EQ(Compute({1, 1, 1, 1}, {1, 1, 2, 2}, {1, 2, 3, 4}, {0, 0, 0, 1, 1}, {1, 2, false}),
            (Values{10}));
}

TEST_F(RoiAlignV2Backward, EmptyGradientsFillWithZeros) {
  for (const Shape& grad_shape : {Shape{0, 2, 3, 3}, Shape{4, 2, 0, 3}, Shape{4, 2, 3, 0}}) {
    const DeviceTensor g(grad_shape, DType::kFloat32, {}, {.format = ACL_FORMAT_NCHW});
    const DeviceTensor b({grad_shape[0], 5}, DType::kFloat32,
                         Values(static_cast<size_t>(grad_shape[0] * 5), 1.0));
    const DeviceTensor out({2, 2, 5, 7}, DType::kFloat32, {}, {.format = ACL_FORMAT_NCHW});
    ACLIMB_EXPECT_OK(Run(g, b, out, {}));
    EXPECT_EQ(out.Values(), Values(140, 0.0));
    EXPECT_TRUE(out.SurroundingsIntact());
  }
}

TEST_F(RoiAlignV2Backward, EmptyOutputsSucceed) {
  for (const Shape& out_shape :
       {Shape{2, 0, 4, 4}, Shape{0, 1, 4, 4}, Shape{1, 1, 0, 4}, Shape{1, 1, 4, 0}}) {
    const int64_t channels = out_shape[1];
    const DeviceTensor g({1, channels, 1, 1}, DType::kFloat32,
                         Values(static_cast<size_t>(channels), 1.0), {.format = ACL_FORMAT_NCHW});
    const DeviceTensor b({1, 5}, DType::kFloat32, {0, 0, 0, 2, 2});
    const DeviceTensor out(out_shape, DType::kFloat32, {}, {.format = ACL_FORMAT_NCHW});
    ACLIMB_EXPECT_OK(Run(g, b, out, {}));
  }
}

TEST_F(RoiAlignV2Backward, ForeignImagesAreSkippedAndNumbersRoundDown) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  for (double image : {2.0, -1.0, -0.3, nan, inf, -inf, 1e30}) {
    const Values got = Compute({2, 1, 2, 2}, {2, 1, 1, 1}, {5, 7},
                               {image, 0, 0, 1, 1, 1, 0, 0, 1, 1}, {1, 1, true});
    EXPECT_EQ(got, (Values{0, 0, 0, 0, 7, 0, 0, 0})) << image;
  }
  EXPECT_EQ(Compute({2, 1, 2, 2}, {1, 1, 1, 1}, {7}, {1.7, 0, 0, 1, 1}, {1, 1, true}),
            (Values{0, 0, 0, 0, 7, 0, 0, 0}));
}

TEST_F(RoiAlignV2Backward, StridedViewsOfEveryTensor) {
  Random random(1);
  TestProblem problem = {"strided", {4, 2, 3, 3, 2, 7, 9, 0.5f, 2, true}, {}, {}};
  problem.FillGrad(random);
  problem.FillBoxes(random, 2, 12);
  const Values grad(problem.grad_output.begin(), problem.grad_output.end());
  const Values boxes(problem.boxes.begin(), problem.boxes.end());
  const DeviceTensor g({4, 3, 3, 2}, DType::kFloat32, grad,
                       {.stride = {50, 1, 9, 3}, .offset = 5, .format = ACL_FORMAT_NCHW});
  // Five columns of a wider matrix.
  const DeviceTensor b({4, 5}, DType::kFloat32, boxes, {.stride = {16, 2}, .offset = 3});
  const DeviceTensor out({2, 3, 7, 9}, DType::kFloat32, {},
                         {.stride = {400, 1, 40, 4}, .offset = 7, .format = ACL_FORMAT_NCHW});
  ACLIMB_EXPECT_OK(Run(g, b, out, {0.5f, 2, true}));
  EXPECT_TRUE(MeetsTruth(out.Values(), problem));
  EXPECT_TRUE(out.SurroundingsIntact());

  // One number for all bins, one box for all regions.
  const DeviceTensor one({4, 3, 3, 2}, DType::kFloat32, Values(72, 2.0),
                         {.stride = {0, 0, 0, 0}, .format = ACL_FORMAT_NCHW});
  const DeviceTensor same({4, 5}, DType::kFloat32,
                          {0, 1, 1, 9, 9, 0, 1, 1, 9, 9, 0, 1, 1, 9, 9, 0, 1, 1, 9, 9},
                          {.stride = {0, 1}});
  problem.grad_output.assign(72, 2.0f);
  problem.boxes.clear();
  for (double value : same.Values()) problem.boxes.push_back(static_cast<float>(value));
  ACLIMB_EXPECT_OK(Run(one, same, out, {0.5f, 2, true}));
  EXPECT_TRUE(MeetsTruth(out.Values(), problem));
  EXPECT_TRUE(out.SurroundingsIntact());
}

TEST_F(RoiAlignV2Backward, AllOfTheGradientArrivesWhenAllSamplesAreInside) {
  Random random(2);
  for (const Shape& pool : {Shape{7, 7}, Shape{1, 17}, Shape{16, 1}}) {
    for (int64_t ratio = 0; ratio <= 3; ++ratio) {
      for (bool aligned : {false, true}) {
        TestProblem problem = {
            "inside", {50, 2, 6, pool[0], pool[1], 40, 60, 0.25f, ratio, aligned}, {}, {}};
        problem.FillGrad(random);
        problem.FillBoxes(random, 20, 100);
        const Values grad(problem.grad_output.begin(), problem.grad_output.end());
        const Values boxes(problem.boxes.begin(), problem.boxes.end());
        const Values got = Compute({2, 6, 40, 60}, {50, 6, pool[0], pool[1]}, grad, boxes,
                                   {0.25f, ratio, aligned});
        EXPECT_TRUE(MeetsTruth(got, problem));
        EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0),
                    std::accumulate(grad.begin(), grad.end(), 0.0), 1e-3);
      }
    }
  }
}

TEST_F(RoiAlignV2Backward, ABinOfAWholeNumberOfPixelsTakesThatManySamples) {
  // rh / PH = 3 exactly: three samples per bin, on pixel centres when aligned.
  const Values got =
      Compute({1, 1, 6, 6}, {1, 1, 2, 2}, {9, 18, 27, 36}, {0, 0, 0, 6, 6}, {1, 0, true});
  EXPECT_TRUE(Near(got, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2,
                         3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4},
                   {1e-6, 0}));
}

TEST_F(RoiAlignV2Backward, AHugeAdaptiveBoxFinishesAndCountsInsideSamplesOnly) {
  // A million samples per axis, one a pixel, at 0.5, 1.5 ...: four fall on the map.
  const Values got = OnFour(1, 1, {1e12}, {0, 0, 0, 1e6, 1e6}, {1, 0, false});
  const double weight[] = {0.5, 1, 1, 1.5};
  Values expected;
  for (double y : weight) {
    for (double x : weight) expected.push_back(x * y);
  }
  EXPECT_TRUE(Near(got, expected, {1e-5, 0}));
  const double inf = std::numeric_limits<double>::infinity();
  for (int64_t ratio : {0, 2}) {
    EXPECT_EQ(OnFour(1, 1, {}, {0, 0, 0, inf, inf}, {1, ratio, false}), Four({}));
    EXPECT_EQ(OnFour(1, 1, {}, {0, std::nan(""), 0, 2, 2}, {1, ratio, false}), Four({}));
    EXPECT_EQ(OnFour(1, 1, {}, {0, 0, 0, 2, std::nan("")}, {1, ratio, true}), Four({}));
    EXPECT_EQ(OnFour(1, 1, {}, {0, -3e38, -3e38, 3e38, 3e38}, {1, ratio, true}), Four({}));
  }
}

TEST_F(RoiAlignV2Backward, NamedCases) {
  for (const TestProblem& problem : SmallCases()) {
    const TruthProblem& p = problem.shape;
    const Values got = Compute({p.images, p.channels, p.height, p.width},
                               {p.regions, p.channels, p.pooled_height, p.pooled_width},
                               Values(problem.grad_output.begin(), problem.grad_output.end()),
                               Values(problem.boxes.begin(), problem.boxes.end()),
                               {p.spatial_scale, p.sampling_ratio, p.aligned});
    EXPECT_TRUE(MeetsTruth(got, problem));
  }
}

TEST_F(RoiAlignV2Backward, RandomProblems) {
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    TestProblem problem = {
        std::to_string(round),
        {random.Integer(1, 5), random.Integer(1, 2), random.Integer(1, 4), random.Integer(1, 8),
         random.Integer(1, 8), random.Integer(1, 20), random.Integer(1, 20),
         static_cast<float>(random.Real(0.1, 1.2)), random.Integer(0, 3), random.Chance(0.5)},
        {},
        {}};
    problem.FillGrad(random);
    const TruthProblem& p = problem.shape;
    Values boxes;
    for (int64_t k = 0; k < p.regions; ++k) {
      boxes.push_back(static_cast<double>(static_cast<float>(random.Real(-0.5, 2.5))));
      for (int i = 0; i < 4; ++i) {
        boxes.push_back(static_cast<double>(static_cast<float>(random.Real(-10, 40))));
      }
    }
    problem.boxes.assign(boxes.begin(), boxes.end());
    const Values got = Compute({p.images, p.channels, p.height, p.width},
                               {p.regions, p.channels, p.pooled_height, p.pooled_width},
                               Values(problem.grad_output.begin(), problem.grad_output.end()),
                               boxes, {p.spatial_scale, p.sampling_ratio, p.aligned});
    ASSERT_TRUE(MeetsTruth(got, problem));
  }
}

TEST_F(RoiAlignV2Backward, Phase2ChecksItsWorkspaceAndRunsOnce) {
  const DeviceTensor g({1, 1, 1, 1}, DType::kFloat32, {1}, {.format = ACL_FORMAT_NCHW});
  const DeviceTensor b({1, 5}, DType::kFloat32, {0, 0, 0, 1, 1});
  const DeviceTensor out({1, 1, 2, 2}, DType::kFloat32, {}, {.format = ACL_FORMAT_NCHW});
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnRoiAlignV2Backward(nullptr, 0, nullptr, stream_), 161001);
  ACLIMB_ASSERT_OK(Phase1(g, b, out, {}, &size, &executor));
  ASSERT_GT(size, 0u);
  const Workspace workspace(size);
  EXPECT_EQ(aclnnRoiAlignV2Backward(nullptr, size, executor, stream_), 161001);
  EXPECT_EQ(aclnnRoiAlignV2Backward(workspace.get(), size, executor, stream_), 561103);
  ACLIMB_ASSERT_OK(Phase1(g, b, out, {}, &size, &executor));
  EXPECT_EQ(aclnnRoiAlignV2Backward(workspace.get(), size - 1, executor, stream_), 161002);
  ACLIMB_ASSERT_OK(Phase1(g, b, out, {}, &size, &executor));
  ACLIMB_EXPECT_OK(aclSetAclOpExecutorRepeatable(executor));
  for (int run = 0; run < 2; ++run) {
    ACLIMB_EXPECT_OK(aclnnRoiAlignV2Backward(workspace.get(), size, executor, stream_));
    ACLIMB_EXPECT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(out.Values(), (Values{.25, .25, .25, .25}));
  }
  ACLIMB_EXPECT_OK(aclDestroyAclOpExecutor(executor));
}

void FillValidCall(CallArguments& arguments) {
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

TEST(RoiAlignV2BackwardContract, EveryRuleIsEnforcedAndExplained) {
  Harness harness(kContract, &aclnnRoiAlignV2BackwardGetWorkspaceSize, &FillValidCall,
                  aclimb::testing::Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  for (int64_t columns : {4, 0}) {
    harness.ExpectRule("shape/boxes", [columns](CallArguments& a) {
      a.Tensor(kBoxes, {3, columns}, DType::kFloat32);
    });
  }
  for (const Shape& shape : {Shape{}, Shape{2, 2, 11}, Shape{2, 3, 11, 13}}) {
    harness.ExpectRule("shape/inputShape", [&](CallArguments& a) { a.Ints(kInputShape, shape); });
  }
  harness.ExpectRule("shape/boxes", [](CallArguments& a) {
    a.Tensor(kBoxes, {4, 5}, DType::kFloat32);
  });
  harness.ExpectRule("shape/gradOutput", [](CallArguments& a) { a.Integer(kPooledWidth, -5); });
  for (size_t dimension = 0; dimension < 4; ++dimension) {
    harness.ExpectRule("shape/gradInput", [dimension](CallArguments& a) {
      Shape shape = {2, 2, 11, 13};
      ++shape[dimension];
      a.Tensor(kGradInput, shape, DType::kFloat32, ACL_FORMAT_NCHW);
    });
  }
  for (double scale : {0.0, -1.0, 1e-39, std::nan("")}) {
    harness.ExpectRule("range/spatialScale",
                       [scale](CallArguments& a) { a.Real(kSpatialScale, scale); });
  }
  harness.ExpectAccepted([](CallArguments& a) { a.Real(kSpatialScale, 1.2e-38); });
  harness.ExpectEveryRuleCovered();
}

// FLOAT everywhere, and on every product.
TEST(RoiAlignV2BackwardContract, EveryProductHasIt) {
  Harness harness(kContract, &aclnnRoiAlignV2BackwardGetWorkspaceSize, &FillValidCall,
                  aclimb::testing::Naming::kEach);
  for (const char* chip : {"Ascend310P", "Ascend310P3", "Ascend910A", "Ascend910B", "Ascend910B3",
                           "Ascend910_9391", "Ascend950PR_9599"}) {
    const aclimb::testing::Setting product("ACLIMB_SOC", chip);
    SCOPED_TRACE(chip);
    harness.ExpectAccepted();
    harness.ExpectViolation("roi_align_v2_backward/dtype/boxes", 161002, [](CallArguments& a) {
      a.Tensor(kBoxes, {3, 5}, DType::kFloat16);
    });
  }
}

TEST(RoiAlignV2BackwardContract, DTypesAndFormatsOfEachTensor) {
  Harness harness(kContract, &aclnnRoiAlignV2BackwardGetWorkspaceSize, &FillValidCall,
                  aclimb::testing::Naming::kEach);
  for (DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt32}) {
    harness.ExpectViolation("roi_align_v2_backward/dtype/gradOutput", 161002,
                            [dtype](CallArguments& a) {
                              a.Tensor(kGradOutput, {3, 2, 7, 5}, dtype, ACL_FORMAT_NCHW);
                              a.Tensor(kBoxes, {3, 5}, dtype);
                              a.Tensor(kGradInput, {2, 2, 11, 13}, dtype, ACL_FORMAT_NCHW);
                            });
    harness.ExpectViolation("roi_align_v2_backward/dtype/boxes", 161002, [dtype](CallArguments& a) {
      a.Tensor(kBoxes, {3, 5}, dtype);
    });
    harness.ExpectViolation("roi_align_v2_backward/dtype/gradInput", 161002,
                            [dtype](CallArguments& a) {
                              a.Tensor(kGradInput, {2, 2, 11, 13}, dtype, ACL_FORMAT_NCHW);
                            });
  }
  for (aclFormat format : {ACL_FORMAT_ND, ACL_FORMAT_NHWC}) {
    harness.ExpectViolation("roi_align_v2_backward/format/gradOutput", 161002,
                            [format](CallArguments& a) {
                              a.Tensor(kGradOutput, {3, 2, 7, 5}, DType::kFloat32, format);
                            });
    harness.ExpectViolation("roi_align_v2_backward/format/gradInput", 161002,
                            [format](CallArguments& a) {
                              a.Tensor(kGradInput, {2, 2, 11, 13}, DType::kFloat32, format);
                            });
  }
  harness.ExpectViolation("roi_align_v2_backward/format/boxes", 161002, [](CallArguments& a) {
    a.Tensor(kBoxes, {3, 5}, DType::kFloat32, ACL_FORMAT_NCHW);
  });
  harness.ExpectViolation("roi_align_v2_backward/rank/boxes", 161002, [](CallArguments& a) {
    a.Tensor(kBoxes, {3, 5, 1}, DType::kFloat32);
  });
  harness.ExpectViolation("roi_align_v2_backward/null/gradInput", 161001, [](CallArguments& a) {
    a.Tensor(kGradOutput, {3, 2, 7, 5}, DType::kInt32, ACL_FORMAT_ND);
    a.Null(kGradInput);
  });
}

}  // namespace
}  // namespace aclimb::roi_align_v2_backward

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(RoiAlignV2Backward, roi_align_v2_backward::kOperators);

}  // namespace aclimb::testing
