// What is particular to the operators; the suite has the rest.

#include <cmath>
#include <vector>

#include "aclimb/ops/grid_sampler/operators.h"
#include "aclimb/simd/each_target.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::grid_sampler_test {

ACLIMB_OPERATOR_SUITE(GridSampler, grid_sampler::kOperators);

namespace {

using Values = std::vector<double>;

class GridSampler : public DeviceTest {
 protected:
  // Of the row 1, 2, 3, at places of its middle.
  Values Sample(const Values& places, int64_t interpolation, int64_t padding, bool corners) {
    const auto count = static_cast<int64_t>(places.size());
    Values pairs;
    for (const double place : places) pairs.insert(pairs.end(), {place, 0});
    const DeviceTensor input({1, 1, 1, 3}, DType::kFloat32, {1, 2, 3});
    const DeviceTensor grid({1, 1, count, 2}, DType::kFloat32, pairs);
    const DeviceTensor out({1, 1, 1, count}, DType::kFloat32);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnGridSampler2DGetWorkspaceSize(input, grid, interpolation, padding, corners,
                                                    out, size, executor);
        },
        &aclnnGridSampler2D, stream_));
    return out.Values();
  }
};

TEST_F(GridSampler, EndsAreCentersOrEdges) {
  using namespace grid_sampler;  // NOLINT: the modes
  EXPECT_EQ(Sample({-1, 0, 0.5, 1}, kBilinear, kZeros, true), (Values{1, 2, 2.5, 3}));
  // Half of the outer elements is beyond the edge.
  EXPECT_EQ(Sample({-1, 0, 1}, kBilinear, kZeros, false), (Values{0.5, 2, 1.5}));
  EXPECT_EQ(Sample({-1, 0, 1}, kBilinear, kBorder, false), (Values{1, 2, 3}));
}

TEST_F(GridSampler, PaddingSaysWhatIsBeyondTheEnds) {
  using namespace grid_sampler;  // NOLINT: the modes
  EXPECT_EQ(Sample({-3, 1.6, 9}, kNearest, kZeros, true), (Values{0, 0, 0}));
  EXPECT_EQ(Sample({-3, 1.6, 9}, kNearest, kBorder, true), (Values{1, 3, 3}));
  EXPECT_EQ(Sample({-2, 2, 3}, kNearest, kReflection, true), (Values{2, 2, 1}));
  EXPECT_EQ(Sample({0, -1, 1}, kBicubic, kBorder, true), (Values{2, 1, 3}));
}

struct ImageSize {
  int64_t channels, height, width;
};
enum Layout { kPlanes, kChannelsLast, kStridedPlaces };

// Numbers of which neighbours differ, not larger than `size`.
Values Drawn(int64_t count, double size) {
  Values values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(size * static_cast<double>(i * 7919 % 1009 - 504) / 512);
  }
  return values;
}

class GridSamplerOfImages : public GridSampler, public ::testing::WithParamInterface<ImageSize> {};

// One channel, as many as a vector is made of, and more than it has lanes and than are summed
// together; some also in images that have too many elements for a copy, and stay planes.
INSTANTIATE_TEST_SUITE_P(Images, GridSamplerOfImages,
                         ::testing::Values(ImageSize{1, 5, 6}, ImageSize{2, 5, 6},
                                           ImageSize{3, 5, 6}, ImageSize{4, 5, 6},
                                           ImageSize{3, 20, 21}, ImageSize{37, 5, 6},
                                           ImageSize{37, 20, 21}));

// In planes, side by side, and where what is at the places is strided.
TEST_P(GridSamplerOfImages, Tiles) {
  using namespace grid_sampler;  // NOLINT: the positions
  const auto [channels, height, width] = GetParam();
  const int64_t elements = 2 * channels * height * width;
  const std::vector<int64_t> image = {2, channels, height, width}, grid = {2, 9, 10, 2};
  const std::vector<int64_t> result = {2, channels, 9, 10};
  for (int64_t interpolation = 0; interpolation < 3; ++interpolation) {
    for (const Layout images : {kPlanes, kChannelsLast, kStridedPlaces}) {
      SCOPED_TRACE(Cat("interpolation ", interpolation, ", layout ", int{images}));
      const auto layout = [&](truth::Slot slot, const truth::Call& call) {
        const std::vector<int64_t>& shape = call.Shape(slot);
        DeviceTensor::Options options;
        if (images == kChannelsLast && (shape == image || shape == result)) {
          options.stride = {shape[1] * shape[2] * shape[3], 1, shape[3] * shape[1], shape[1]};
        } else if (images == kStridedPlaces && shape == result) {
          options.stride = {2 * shape[1] * shape[2] * shape[3], 2 * shape[2] * shape[3],
                            2 * shape[3], 2};
        }
        return options;
      };
      const auto check = [&](const truth::OperatorEntry& entry, const truth::Call& call) {
        EachTarget([&] {
          SCOPED_TRACE(hwy::TargetName(hwy::SupportedTargets()));
          OperatorRun run(entry, call, [&](truth::Slot slot) { return layout(slot, call); });
          ACLIMB_ASSERT_OK(run.Run(stream_));
          run.ExpectTruth();
        });
      };
      truth::Call call(forward::kContract2d);
      call.SetTensor(forward::kInput, image, DType::kFloat32, Drawn(elements, 1));
      call.SetTensor(forward::kGrid, grid, DType::kFloat32, Drawn(2 * 90 * 2, 1.3));
      call.SetTensor(forward::kOut, result, DType::kFloat32);
      call.SetInteger(forward::kInterpolation, interpolation);
      call.SetInteger(forward::kPadding, 0);
      call.SetInteger(forward::kCorners, 0);
      check(kOperators[0], call);
      truth::Call gradient(backward::kContract2d);
      gradient.SetTensor(backward::kGradOutput, result, DType::kFloat32,
                         Drawn(2 * channels * 90, 1));
      gradient.SetTensor(backward::kInput, image, DType::kFloat32, Drawn(elements, 1));
      gradient.SetTensor(backward::kGrid, grid, DType::kFloat32, Drawn(2 * 90 * 2, 1.3));
      gradient.SetTensor(backward::kInputGrad, image, DType::kFloat32);
      gradient.SetTensor(backward::kGridGrad, grid, DType::kFloat32);
      gradient.SetInteger(backward::kInterpolation, interpolation);
      gradient.SetInteger(backward::kPadding, 0);
      gradient.SetInteger(backward::kCorners, 0);
      gradient.SetInts(backward::kMask, {1, 1});
      check(kOperators[1], gradient);
    }
  }
}

// More places than vectors look at together: several tables of places, the last one with a rest.
TEST_F(GridSampler, ManyPlaces) {
  using namespace grid_sampler;  // NOLINT: the positions
  constexpr int64_t kPlaces = 51 * 41;
  const auto check = [&](int axes, int64_t channels, int64_t interpolation, int64_t padding) {
    SCOPED_TRACE(Cat("axes ", axes, ", channels ", channels, ", interpolation ", interpolation,
                     ", padding ", padding));
    const bool is_volume = axes == 3;
    truth::Call call(is_volume ? forward::kContract3d : forward::kContract2d);
    using Shape = std::vector<int64_t>;
    call.SetTensor(forward::kInput,
                   is_volume ? Shape{2, channels, 4, 5, 7} : Shape{2, channels, 20, 7},
                   DType::kFloat32, Drawn(2 * channels * 140, 1));
    call.SetTensor(forward::kGrid, is_volume ? Shape{2, 3, 17, 41, 3} : Shape{2, 51, 41, 2},
                   DType::kFloat32, Drawn(2 * kPlaces * axes, 1.3));
    call.SetTensor(forward::kOut,
                   is_volume ? Shape{2, channels, 3, 17, 41} : Shape{2, channels, 51, 41},
                   DType::kFloat32);
    call.SetInteger(forward::kInterpolation, interpolation);
    call.SetInteger(forward::kPadding, padding);
    call.SetInteger(forward::kCorners, 0);
    EachTarget([&] {
      SCOPED_TRACE(hwy::TargetName(hwy::SupportedTargets()));
      OperatorRun run(kOperators[is_volume ? 2 : 0], call);
      ACLIMB_ASSERT_OK(run.Run(stream_));
      run.ExpectTruth();
    });
  };
  for (const int64_t channels : {1, 20}) {
    for (const int64_t padding : {kZeros, kBorder, kReflection}) {
      for (const int64_t mode : {kBilinear, kNearest, kBicubic}) check(2, channels, mode, padding);
      for (const int64_t mode : {kBilinear, kNearest}) check(3, channels, mode, padding);
    }
  }
}

// Channels are copied beside each other where an axis is too long for vectors of places.
TEST_F(GridSampler, LongAxesAreCopied) {
  const auto workspace = [&](int64_t extent) {
    const DeviceTensor input({1, 2, 1, extent}, DType::kFloat32);
    const DeviceTensor grid({1, 1, extent, 2}, DType::kFloat32);
    const DeviceTensor out({1, 2, 1, extent}, DType::kFloat32);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ACLIMB_EXPECT_OK(aclnnGridSampler2DGetWorkspaceSize(
        input, grid, grid_sampler::kBilinear, grid_sampler::kZeros, false, out, &size, &executor));
    ACLIMB_EXPECT_OK(aclDestroyAclOpExecutor(executor));
    return size;
  };
  constexpr int64_t kLongest = 1 << 21;
  EXPECT_LT(workspace(kLongest), kLongest);
  EXPECT_GE(workspace(kLongest + 1), 2 * sizeof(float) * kLongest);
}

// Elements beyond the ends are not read: places without end, and such as are no numbers. No curve
// goes through those.
TEST_F(GridSampler, PlacesWithoutEndReadNothingOrAnEnd) {
  using namespace grid_sampler;  // NOLINT: the modes
  const Values places = {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e30, -1e30};
  for (const int64_t interpolation : {kBilinear, kNearest}) {
    EXPECT_EQ(Sample(places, interpolation, kZeros, false), Values(5, 0)) << interpolation;
    EXPECT_EQ(Sample(places, interpolation, kBorder, false), (Values{1, 3, 1, 3, 1}))
        << interpolation;
    for (const double value : Sample(places, interpolation, kReflection, false)) {
      EXPECT_TRUE(value >= 1 && value <= 3) << interpolation << ": " << value;
    }
  }
  const double nan = std::nan("");
  EXPECT_TRUE(Near(Sample(places, kBicubic, kZeros, false), {nan, nan, nan, 0, 0}, {}));
  EXPECT_TRUE(Near(Sample(places, kBicubic, kBorder, false), {nan, nan, nan, 3, 1}, {}));
}

// Of elements that are not numbers, nothing comes where they are not among those that a place is
// made of.
TEST_F(GridSampler, ElementsElsewhereDoNotCount) {
  using namespace grid_sampler;  // NOLINT: the modes
  const double nan = std::nan("");
  const DeviceTensor image({1, 2, 2, 2}, DType::kFloat32, {nan, 1, 2, 3, HUGE_VAL, 4, 5, 6});
  const DeviceTensor grid({1, 1, 2, 2}, DType::kFloat32, {0.75, 0.75, 9, 9});
  const DeviceTensor out({1, 2, 1, 2}, DType::kFloat32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGridSampler2DGetWorkspaceSize(image, grid, kBilinear, kZeros, false, out, size,
                                                  executor);
      },
      &aclnnGridSampler2D, stream_));
  EXPECT_EQ(out.Values(), (Values{3 * 0.5625, 0, 6 * 0.5625, 0}));
}

// Also where infinite elements meet a gradient: nearest elements do not move with the place.
TEST_F(GridSampler, TheNearestHaveNoGradientWithThePlace) {
  const DeviceTensor gradient({1, 1, 1, 2}, DType::kFloat32, {HUGE_VAL, 1});
  const DeviceTensor input({1, 1, 1, 3}, DType::kFloat32, {1, std::nan(""), 3});
  const DeviceTensor grid({1, 1, 2, 2}, DType::kFloat32, {-1, 0, 0, 0});
  const BoolArray mask({0, 1});
  const DeviceTensor grid_gradient({1, 1, 2, 2}, DType::kFloat32);
  const DeviceTensor input_gradient({1, 1, 1, 3}, DType::kFloat32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGridSampler2DBackwardGetWorkspaceSize(
            gradient, input, grid, grid_sampler::kNearest, grid_sampler::kZeros, true, mask,
            input_gradient, grid_gradient, size, executor);
      },
      &aclnnGridSampler2DBackward, stream_));
  EXPECT_EQ(grid_gradient.Values(), Values(4, 0));
}

// The place beyond the image has an infinite gradient, of which nothing comes.
TEST_F(GridSampler, PlacesBeyondTheEndsHaveNoGradient) {
  const DeviceTensor gradient({1, 1, 1, 2}, DType::kFloat32, {HUGE_VAL, 2});
  const DeviceTensor input({1, 1, 1, 3}, DType::kFloat32, {1, 2, 3});
  const DeviceTensor grid({1, 1, 2, 2}, DType::kFloat32, {9, 9, 0, 0});
  const BoolArray mask({1, 1});
  const DeviceTensor grid_gradient({1, 1, 2, 2}, DType::kFloat32);
  const DeviceTensor input_gradient({1, 1, 1, 3}, DType::kFloat32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGridSampler2DBackwardGetWorkspaceSize(
            gradient, input, grid, grid_sampler::kBilinear, grid_sampler::kZeros, true, mask,
            input_gradient, grid_gradient, size, executor);
      },
      &aclnnGridSampler2DBackward, stream_));
  EXPECT_EQ(input_gradient.Values(), (Values{0, 2, 0}));
  EXPECT_EQ(grid_gradient.Values(), (Values{0, 0, 2, 0}));
}

TEST_F(GridSampler, ReflectionIsAtTheEdgesWhereTheEndsAreEdges) {
  using namespace grid_sampler;  // NOLINT: the modes
  // The edges are half an element beyond the centers: at -4/3 lies the place half an element
  // further.
  EXPECT_EQ(Sample({-4.0 / 3, -2, 4.0 / 3, 2}, kNearest, kReflection, false), (Values{1, 2, 3, 2}));
  // At these the coordinates are binary fractions.
  EXPECT_EQ(Sample({-1.5, 1.5}, kBilinear, kReflection, false), (Values{1.25, 2.75}));
  EXPECT_EQ(Sample({-3, 3}, kBicubic, kBorder, false), (Values{1, 3}));
}

TEST_F(GridSampler, TheFirstCoordinateIsAlongTheLastDimension) {
  const DeviceTensor input({1, 1, 2, 2, 2}, DType::kFloat32, {0, 1, 10, 11, 100, 101, 110, 111});
  const DeviceTensor grid({1, 1, 1, 3, 3}, DType::kFloat32, {1, -1, -1, -1, -1, 1, 0, 0, 0});
  const DeviceTensor out({1, 1, 1, 1, 3}, DType::kFloat32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGridSampler3DGetWorkspaceSize(input, grid, 0, 0, true, out, size, executor);
      },
      &aclnnGridSampler3D, stream_));
  EXPECT_EQ(out.Values(), (Values{1, 100, 55.5}));
}

using Dims = std::vector<int64_t>;

// An image of two channels that have this size, or places of this size with so many coordinates.
Dims Image(const Dims& size) {
  Dims shape = {1, 2};
  shape.insert(shape.end(), size.begin(), size.end());
  return shape;
}
Dims Grid(const Dims& size) {
  Dims shape = {1};
  shape.insert(shape.end(), size.begin(), size.end());
  shape.push_back(static_cast<int64_t>(size.size()));
  return shape;
}
Dims WithoutElements(Dims size) {
  size[size.size() - 2] = 0;
  return size;
}

// Of `size`, read at places of the size `places`.
template <typename Phase1>
void ExpectForwardRules(const contract::Contract& contract, Phase1& phase1, const Dims& size,
                        const Dims& places) {
  using namespace grid_sampler::forward;  // NOLINT: the parameters' positions
  ContractHarness<Phase1> harness(contract, &phase1, [&](CallArguments& a) {
    a.Tensor(kInput, Image(size), DType::kFloat32);
    a.Tensor(kGrid, Grid(places), DType::kFloat32);
    a.Integer(kInterpolation, 0);
    a.Integer(kPadding, 0);
    a.Bool(kCorners, false);
    a.Tensor(kOut, Image(places), DType::kFloat32);
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("images/input", [&](CallArguments& a) {
    a.Tensor(kInput, Image(WithoutElements(size)), DType::kFloat32);
  });
  harness.ExpectEveryRuleCovered({Cat(contract.folder, "/product")});
}

template <typename Phase1>
void ExpectBackwardRules(const contract::Contract& contract, Phase1& phase1, const Dims& size,
                         const Dims& places) {
  using namespace grid_sampler::backward;  // NOLINT: the parameters' positions
  ContractHarness<Phase1> harness(contract, &phase1, [&](CallArguments& a) {
    a.Tensor(kGradOutput, Image(places), DType::kFloat32);
    a.Tensor(kInput, Image(size), DType::kFloat32);
    a.Tensor(kGrid, Grid(places), DType::kFloat32);
    a.Integer(kInterpolation, 0);
    a.Integer(kPadding, 0);
    a.Bool(kCorners, false);
    a.Bools(kMask, {1, 1});
    a.Tensor(kInputGrad, Image(size), DType::kFloat32);
    a.Tensor(kGridGrad, Grid(places), DType::kFloat32);
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("images/input", [&](CallArguments& a) {
    a.Tensor(kInput, Image(WithoutElements(size)), DType::kFloat32);
    a.Tensor(kInputGrad, Image(WithoutElements(size)), DType::kFloat32);
  });
  harness.ExpectEveryRuleCovered({Cat(contract.folder, "/product")});
}

TEST(GridSamplerContract, EveryRuleIsEnforcedAndExplained) {
  ExpectForwardRules(grid_sampler::forward::kContract2d, aclnnGridSampler2DGetWorkspaceSize, {3, 4},
                     {5, 6});
}

TEST(GridSamplerContract, EveryRuleOfTheGradientIsEnforcedAndExplained) {
  ExpectBackwardRules(grid_sampler::backward::kContract2d,
                      aclnnGridSampler2DBackwardGetWorkspaceSize, {3, 4}, {5, 6});
}

TEST(GridSamplerContract, EveryRuleOfVolumesIsEnforcedAndExplained) {
  ExpectForwardRules(grid_sampler::forward::kContract3d, aclnnGridSampler3DGetWorkspaceSize,
                     {2, 3, 4}, {7, 5, 6});
}

TEST(GridSamplerContract, EveryRuleOfTheGradientOfVolumesIsEnforcedAndExplained) {
  ExpectBackwardRules(grid_sampler::backward::kContract3d,
                      aclnnGridSampler3DBackwardGetWorkspaceSize, {2, 3, 4}, {7, 5, 6});
}

}  // namespace
}  // namespace aclimb::testing::grid_sampler_test
