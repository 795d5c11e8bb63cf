// The operator through its C interface: results, refusals and edge cases.

#include <pthread.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "aclimb/bridge/bridge.h"
#include "aclimb/ops/convolution_backward/test_problem.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::Random;

using Values = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

Values CountFrom(double first, int64_t count) {
  Values values;
  for (int64_t i = 0; i < count; ++i) values.push_back(first + static_cast<double>(i));
  return values;
}

class ConvolutionBackward : public aclimb::testing::DeviceTest {
 protected:
  struct Results {
    Values input, weight, bias;
  };
  // Runs in every dtype (values are small integers) and returns the float32 results.
  Results Compute(Problem p, const Values& g, const Values& x, const Values& w) {
    Results results;
    for (DType dtype : {DType::kBFloat16, DType::kFloat16, DType::kFloat32}) {
      p.Dtype(dtype);
      const Tensors t(p, g, x, w);
      ACLIMB_EXPECT_OK(RunProblem(p, t, stream_));
      EXPECT_TRUE(MeetsTruth(p, t)) << NameOf(dtype);
      results = {t.grad_input->Values(), t.grad_weight->Values(), t.grad_bias->Values()};
    }
    return results;
  }
  void ExpectMeetsTruth(const Problem& p, uint64_t seed) {
    Random random(seed);
    const Tensors t(p, random);
    ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
    EXPECT_TRUE(MeetsTruth(p, t));
  }
};

// ---- Section 8, in its order

TEST_F(ConvolutionBackward, OneDimensionWithStridePaddingAndDilation) {
  const Problem p = {{1, 2, 3}, {1, 1, 5}, {2, 1, 2}, {2}, {1}, {2}, {0}};
  const Results r = Compute(p, CountFrom(1, 6), CountFrom(1, 5), {1, 2, -1, 3});
  EXPECT_EQ(r.input, (Values{0, 11, 0, 16, 0}));
  EXPECT_EQ(r.weight, (Values{16, 10, 34, 28}));
  EXPECT_EQ(r.bias, (Values{6, 15}));
}

TEST_F(ConvolutionBackward, FourPaddingsAreTopBottomLeftRight) {
  Problem p = {{1, 2, 2, 4}, {1, 2, 3, 3}, {2, 1, 2, 2}, {2, 1}, {1, 0, 2, 1}, {1, 2}, {0, 0}};
  p.groups = 2;
  const Results r = Compute(p, CountFrom(1, 16), CountFrom(1, 18), CountFrom(1, 8));
  EXPECT_EQ(r.input, (Values{13, 20, 12, 17, 20, 14, 41, 48, 28, 149, 164, 88, 153, 164, 90, 209,
                             224, 120}));
  EXPECT_EQ(r.weight, (Values{68, 92, 124, 160, 419, 590, 754, 1048}));
  EXPECT_EQ(r.bias, (Values{36, 100}));
}

TEST_F(ConvolutionBackward, TransposedOneDimensionWithGroupsAndOutputPadding) {
  Problem p = {{1, 2, 6}, {1, 2, 3}, {2, 1, 3}, {2}, {1}, {1}, {1}};
  p.groups = 2;
  p.transposed = true;
  const Results r = Compute(p, CountFrom(1, 12), CountFrom(1, 6), CountFrom(1, 6));
  EXPECT_EQ(r.input, (Values{8, 20, 32, 83, 137, 167}));
  EXPECT_EQ(r.weight, (Values{16, 22, 28, 100, 139, 154}));
  EXPECT_EQ(r.bias, (Values{21, 57}));
}

TEST_F(ConvolutionBackward, TransposedTwoDimensions) {
  Problem p = {{1, 2, 4, 4}, {1, 1, 2, 2}, {1, 2, 2, 2}, {2, 2}, {0, 0}, {1, 1}, {0, 0}};
  p.transposed = true;
  const Results r = Compute(p, CountFrom(1, 32), CountFrom(1, 4), CountFrom(1, 8));
  EXPECT_EQ(r.input, (Values{560, 632, 848, 920}));
  EXPECT_EQ(r.weight, (Values{78, 88, 118, 128, 238, 248, 278, 288}));
  EXPECT_EQ(r.bias, (Values{136, 392}));
}

TEST_F(ConvolutionBackward, ThreeDimensions) {
  const Problem p = {{1, 1, 1, 2, 1}, {1, 1, 2, 2, 2}, {1, 1, 2, 1, 2}, {1, 1, 1},
                     {0, 0, 0},       {1, 1, 1},       {0, 0, 0}};
  const Results r = Compute(p, {1, 2}, CountFrom(1, 8), CountFrom(1, 4));
  EXPECT_EQ(r.input, (Values{1, 2, 2, 4, 3, 4, 6, 8}));
  EXPECT_EQ(r.weight, (Values{7, 10, 19, 22}));
  EXPECT_EQ(r.bias, (Values{3}));
}

TEST_F(ConvolutionBackward, StrideRemainderLeavesZeros) {
  const Problem p = {{1, 1, 2}, {1, 1, 6}, {1, 1, 2}, {3}, {0}, {1}, {0}};
  const Results r = Compute(p, {1, 2}, CountFrom(1, 6), {1, 10});
  EXPECT_EQ(r.input, (Values{1, 10, 0, 2, 20, 0}));
  EXPECT_EQ(r.weight, (Values{9, 12}));
  EXPECT_EQ(r.bias, (Values{3}));
}

TEST_F(ConvolutionBackward, EveryMaskTouchesOnlyWhatItNames) {
  for (const int64_t channels : {2, 16}) {
    for (int bits = 0; bits < 8; ++bits) {
      Problem p = {{2, channels, 6, 6},
                   {2, channels, 6, 6},
                   {channels, channels, 3, 3},
                   {1, 1},
                   {1, 1},
                   {1, 1},
                   {0, 0}};
      for (int i = 0; i < 3; ++i) p.mask[i] = (bits >> i & 1) != 0;
      Random random(static_cast<uint64_t>(bits));
      const Tensors t(p, random);
      const auto input = t.grad_input->Bytes(), weight = t.grad_weight->Bytes(),
                 bias = t.grad_bias->Bytes();
      ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
      EXPECT_TRUE(MeetsTruth(p, t)) << bits;
      EXPECT_EQ(t.grad_input->Bytes() == input, !p.mask[0]) << bits;
      EXPECT_EQ(t.grad_weight->Bytes() == weight, !p.mask[1]) << bits;
      EXPECT_EQ(t.grad_bias->Bytes() == bias, !p.mask[2]) << bits;
    }
  }
}

TEST_F(ConvolutionBackward, UnwantedOutputsMayBeNull) {
  for (int wanted = 0; wanted < 3; ++wanted) {
    Problem p = {{1, 2, 3}, {1, 1, 5}, {2, 1, 2}, {2}, {1}, {2}, {0}};
    for (int i = 0; i < 3; ++i) p.mask[i] = i == wanted;
    Random random(3);
    const Tensors t(p, random);
    const aclimb::testing::IntArray two({2}), one({1}), zero({0});
    const aclimb::testing::BoolArray mask({p.mask[0], p.mask[1], p.mask[2]});
    ACLIMB_EXPECT_OK(aclimb::testing::RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnConvolutionBackwardGetWorkspaceSize(
              *t.grad_output, *t.input, *t.weight,
              wanted == 2 ? static_cast<aclIntArray*>(two) : nullptr, two, one, two, false, zero, 1,
              mask, 0, wanted == 0 ? t.grad_input->get() : nullptr,
              wanted == 1 ? t.grad_weight->get() : nullptr,
              wanted == 2 ? t.grad_bias->get() : nullptr, size, executor);
        },
        &aclnnConvolutionBackward, stream_));
    EXPECT_TRUE(MeetsTruth(p, t)) << wanted;
  }
}

TEST_F(ConvolutionBackward, NoImagesGiveZeros) {
  const Problem p = {{0, 4, 6, 6}, {0, 3, 6, 6}, {4, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
  const Tensors t(p, {}, {}, Values(108, 1.0));
  ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
  EXPECT_EQ(t.grad_weight->Values(), Values(108, 0.0));
  EXPECT_EQ(t.grad_bias->Values(), Values(4, 0.0));
}

TEST_F(ConvolutionBackward, NoInputChannelsGiveAZeroBiasGradient) {
  const Problem p = {{2, 4, 6, 6}, {2, 0, 6, 6}, {4, 0, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
  const Tensors t(p, Values(288, 1.0), {}, {});
  ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
  EXPECT_EQ(t.grad_bias->Values(), Values(4, 0.0));
}

TEST_F(ConvolutionBackward, LengthOneArraysStandForAllDimensions) {
  for (bool transposed : {false, true}) {
    Problem p = {{}, {2, 4, 7, 8}, {4, 4, 3, 3}, {2}, {1}, {1}, {transposed ? 1 : 0}};
    p.transposed = transposed;
    Problem full = p;
    full.stride = {2, 2};
    full.padding = {1, 1};
    full.dilation = {1, 1};
    full.output_padding = std::vector<int64_t>(2, p.output_padding[0]);
    InferGradOutput(full);
    p.grad_output = full.grad_output;
    Random random(4), again(4);
    const Tensors short_form(p, random), long_form(full, again);
    ACLIMB_ASSERT_OK(RunProblem(p, short_form, stream_));
    ACLIMB_ASSERT_OK(RunProblem(full, long_form, stream_));
    EXPECT_EQ(short_form.grad_input->Bytes(), long_form.grad_input->Bytes());
    EXPECT_EQ(short_form.grad_weight->Bytes(), long_form.grad_weight->Bytes());
    EXPECT_TRUE(MeetsTruth(p, short_form));
  }
}

TEST_F(ConvolutionBackward, MixedDTypesPromote) {
  const DType all[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
  for (const int64_t channels : {3, 32}) {
    for (DType a : all) {
      for (DType b : all) {
        for (DType c : all) {
          Problem p = {{2, channels, 9, 9},
                       {2, channels, 9, 9},
                       {channels, channels, 3, 3},
                       {1, 1},
                       {1, 1},
                       {1, 1},
                       {0, 0}};
          p.dtypes[0] = a;
          p.dtypes[1] = b;
          p.dtypes[2] = c;
          ExpectMeetsTruth(p, 5);
        }
      }
    }
  }
}

TEST_F(ConvolutionBackward, EveryCubeMathTypeOnEveryDType) {
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (int8_t type = 0; type < 4; ++type) {
      Problem p = {{1, 16, 8, 8}, {1, 16, 8, 8}, {16, 16, 1, 1}, {1, 1}, {0, 0}, {1, 1}, {0, 0}};
      p.Dtype(dtype);
      p.cube_math_type = type;
      ExpectMeetsTruth(p, 6);
    }
  }
}

TEST_F(ConvolutionBackward, PaddingBeyondTheKernel) {
  for (const int64_t channels : {2, 32}) {
    Problem p = {{},    {2, channels, 5, 6}, {channels, channels, 3, 2}, {1, 2}, {4, 5}, {1, 2},
                 {0, 0}};
    InferGradOutput(p);
    for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      p.Dtype(dtype);
      ExpectMeetsTruth(p, 7);
    }
  }
}

TEST_F(ConvolutionBackward, DepthwiseWithMultiplierAndThreeGroups) {
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    Problem p = {{}, {2, 12, 15, 17}, {24, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
    p.groups = 12;
    p.Dtype(dtype);
    InferGradOutput(p);
    ExpectMeetsTruth(p, 8);
    p.input[1] = 3;
    p.weight = {6, 1, 5, 3};
    p.groups = 3;
    p.stride = {2, 1};
    InferGradOutput(p);
    ExpectMeetsTruth(p, 9);
  }
}

// Only input elements whose windows cover the infinity see it; only taps that meet it do.
TEST_F(ConvolutionBackward, InfinityAndNaNReachWhatTheyCover) {
  for (const int64_t channels : {1, 3, 16, 32}) {
    for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      for (int where = 0; where < 5; ++where) {
        SCOPED_TRACE(::testing::Message()
                     << channels << " channels, " << NameOf(dtype) << ", case " << where);
        Problem p = {{},    {2, channels, 7, 8}, {channels, channels, 3, 3}, {1, 1}, {1, 1}, {1, 1},
                     {0, 0}};
        p.Dtype(dtype);
        InferGradOutput(p);
        Random random(10);
        Values g = random.Reals(Count(p.grad_output), 0.5, 1),
               x = random.Reals(Count(p.input), 0.5, 1), w = random.Reals(Count(p.weight), 0.5, 1);
        if (where == 0) g.front() = kInf;  // a corner
        if (where == 1) g.back() = std::nan("");
        if (where == 2) x[55] = -kInf;  // another corner
        if (where == 3) w.front() = kInf;
        if (where == 4) g[5] = kInf, w.back() = std::nan(""), x[30] = kInf;
        const Tensors t(p, g, x, w);
        ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
        EXPECT_TRUE(MeetsTruth(p, t));
      }
    }
  }
}

// Padding is absent, and so is what strides step over, also where a product writes them out as
// zeros.
TEST_F(ConvolutionBackward, InfinityDoesNotMeetPaddingInProducts) {
  struct Shape {
    std::vector<int64_t> input, weight;
    bool transposed = false;
    int64_t stride = 1, dilation = 1, groups = 1;
    bool padded = true;
  };
  const Shape shapes[] = {
      {{1, 384, 8, 8}, {384, 384, 3, 3}},  // gradWeight from plain layouts, on one thread
      {{2, 20, 17, 17}, {24, 20, 3, 3}},   // from channels last
      {{2, 20, 17, 17}, {20, 24, 3, 3}, true},
      {{2, 32, 1, 120}, {32, 32, 1, 35}, true},  // a window that no direct kernel knows
      // oneDNN's blocked layouts
      {{2, 32, 13, 13}, {32, 32, 3, 3}, false, 1, 1, 1, false},
      {{2, 32, 13, 13}, {32, 32, 3, 3}, false, 2},
      {{2, 32, 13, 13}, {32, 32, 3, 3}, false, 2, 1, 1, false},
      {{2, 32, 13, 13}, {32, 32, 3, 3}, false, 1, 2},
      {{2, 32, 13, 13}, {32, 32, 3, 3}, true, 2},
      {{2, 64, 13, 13}, {64, 32, 3, 3}, false, 1, 1, 2},
      {{2, 32, 29, 29}, {64, 32, 1, 1}, false, 2},
      {{2, 32, 1, 120}, {32, 32, 1, 5}},
      {{1, 32, 9, 9, 9}, {32, 32, 3, 3, 3}},
      {{2, 3, 16, 16}, {64, 3, 3, 3}},                   // a first layer
      {{2, 32, 14, 14}, {32, 8, 3, 3}, false, 1, 1, 4},  // windows in groups
      {{2, 30, 14, 14}, {32, 15, 3, 3}, false, 1, 1, 2},
      {{2, 36, 14, 14}, {36, 4, 3, 3}, false, 1, 1, 9},
      {{2, 32, 15, 15}, {32, 16, 3, 3}, true, 2, 1, 2},
      {{2, 64, 13, 13}, {64, 16, 3, 3}, true, 1, 1, 2},
      {{2, 32, 13, 13}, {3, 32, 3, 3}},
      {{2, 32, 25, 25}, {5, 32, 3, 3}, false, 2},
      {{2, 33, 13, 13}, {33, 33, 3, 3}},
      {{2, 34, 13, 13}, {34, 17, 3, 3}, false, 1, 1, 2},
      {{2, 17, 100}, {19, 17, 5}},
      {{1, 19, 7, 7, 7}, {17, 19, 3, 3, 3}},
      {{2, 512, 7, 7}, {512, 1, 3, 3}, false, 1, 1, 512},
      {{2, 32, 13, 13}, {32, 32, 2, 2}, false, 2, 1, 1, false},  // patches
      // Channels that fill neither vectors nor pairs.
      {{2, 64, 13, 13}, {64, 5, 3, 3}, true},
      {{2, 64, 13, 13}, {64, 17, 3, 3}, true, 2},
      {{2, 64, 13, 13}, {64, 34, 3, 3}, true},
      {{2, 64, 13, 13}, {18, 64, 3, 3}, false, 2},
      {{2, 32, 13, 13}, {512, 1, 3, 3}, false, 1, 1, 32},
      {{2, 512, 13, 13}, {512, 1, 3, 3}, true, 1, 1, 32},
      {{4, 64, 13, 13}, {64, 3, 2, 2}, true, 2, 1, 1, false},
      {{2, 64, 13, 13}, {64, 3, 5, 5}, true, 1, 1, 1, false},
      {{2, 64, 150}, {64, 3, 5}, true},
      {{2, 34, 13, 13}, {66, 34, 3, 3}, false, 1, 2},
      {{2, 68, 9, 9}, {72, 34, 3, 3}, false, 1, 1, 2},
      {{2, 34, 60}, {66, 34, 5}, false, 2},
      {{1, 34, 5, 6, 5}, {66, 34, 3, 3, 3}},
      // Our own windows on vectors, where vectors are short.
      {{4, 20, 7, 6}, {24, 20, 3, 3}},
      {{3, 20, 15, 15}, {24, 20, 3, 3}, false, 1, 5},
      {{3, 64, 13, 13}, {64, 64, 3, 3}, false, 2},
      {{4, 24, 7, 6}, {24, 20, 3, 3}, true},
      {{3, 64, 7, 7}, {64, 32, 3, 3}, false, 1, 1, 2},
      {{2, 20, 9, 40}, {24, 20, 3, 3}},
      {{1, 64, 301}, {64, 64, 3}, false, 2},
      // Depthwise windows: both gradients in one pass.
      {{2, 24, 13, 13}, {24, 1, 3, 3}, false, 1, 1, 24},
      {{2, 24, 17, 40}, {24, 1, 3, 3}, false, 2, 1, 24},
      {{2, 24, 16, 15}, {24, 1, 5, 5}, false, 1, 1, 24},
      {{2, 24, 17, 16}, {24, 1, 5, 5}, true, 2, 1, 24},
      {{2, 24, 17, 16}, {24, 1, 7, 7}, false, 1, 1, 24},
      {{2, 96, 28, 29}, {96, 1, 7, 7}, false, 1, 1, 96},  // of a team, these two
      {{4, 64, 30, 29}, {64, 1, 3, 3}, false, 1, 1, 64},
  };
  for (const Shape& shape : shapes) {
    for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      for (int where = 0; where < 6; ++where) {
        // Its truth takes its time.
        if (shape.input[1] == 384 && (dtype != DType::kFloat32 || where > 2)) continue;
        // It takes the ways of the other two, and is converted.
        if (dtype == DType::kFloat16 && where < 3) continue;
        SCOPED_TRACE(::testing::Message()
                     << shape.input[1] << " channels, stride " << shape.stride << ", dilation "
                     << shape.dilation << ", " << NameOf(dtype) << ", case " << where);
        Problem p;
        p.input = shape.input;
        p.weight = shape.weight;
        p.transposed = shape.transposed;
        p.groups = shape.groups;
        const size_t dims = shape.input.size() - 2;
        p.stride.assign(dims, shape.stride);
        p.dilation.assign(dims, shape.dilation);
        p.output_padding.assign(dims, 0);
        p.padding.assign(dims, 0);
        for (size_t d = 0; shape.padded && d < dims; ++d) p.padding[d] = shape.weight[2 + d] / 2;
        p.Dtype(dtype);
        InferGradOutput(p);
        Random random(11);
        Values g = random.Reals(Count(p.grad_output), 0.5, 1),
               x = random.Reals(Count(p.input), 0.5, 1), w = random.Reals(Count(p.weight), 0.5, 1);
        if (where == 0) g.back() = kInf;
        if (where == 1) x.front() = -kInf;
        if (where == 2) w.front() = kInf;
        if (where == 3) g[g.size() / 3] = kInf, x[x.size() / 3] = std::nan("");
        if (where == 4) g[g.size() / 2] = -kInf, g[g.size() / 2 + 1] = kInf, w[w.size() / 2] = kInf;
        if (where == 5) g[g.size() / 3] = std::nan(""), g[g.size() / 4] = kInf;
        const Tensors t(p, g, x, w);
        ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
        EXPECT_TRUE(MeetsTruth(p, t));
      }
    }
  }
}

// Products of matrices fill up pairs of pixels with zeros.
TEST_F(ConvolutionBackward, InfinityDoesNotMeetTheEndOfAProduct) {
  struct Shape {
    std::vector<int64_t> input, weight;
    int64_t stride = 1;
  };
  const Shape shapes[] = {
      {{2, 64, 7, 7}, {48, 64, 1, 1}},     {{1, 130, 1, 33}, {67, 130, 1, 1}},
      {{8, 257, 1, 1}, {129, 257, 1, 1}},  {{3, 40, 9, 9}, {96, 40, 1, 1}, 2},
      {{1, 64, 11, 15}, {33, 64, 1, 1}},   {{4, 96, 6, 6}, {32, 96, 2, 2}, 2},
      {{2, 1024, 5, 5}, {64, 1024, 1, 1}}, {{1, 34, 35, 35}, {32, 34, 3, 3}},
      {{3, 512, 13, 13}, {1, 512, 1, 1}},  {{5, 1, 29, 29}, {400, 1, 1, 1}},
      {{64, 96, 1, 1}, {96, 96, 1, 1}},    {{1, 24, 1, 4097}, {24, 24, 1, 1}},
  };
  for (const Shape& shape : shapes) {
    Problem p;
    p.input = shape.input;
    p.weight = shape.weight;
    p.stride = {shape.stride, shape.stride};
    p.dilation = {1, 1};
    p.padding = p.output_padding = {0, 0};
    p.Dtype(DType::kBFloat16);
    InferGradOutput(p);
    const int64_t in = Count(p.input) / p.input[0] / p.input[1];
    const int64_t out = Count(p.grad_output) / p.grad_output[0] / p.grad_output[1];
    Random random(12);
    for (int round = 0; round < 12; ++round) {
      SCOPED_TRACE(::testing::Message() << ::testing::PrintToString(p.input) << " with "
                                        << ::testing::PrintToString(p.weight) << ", " << round);
      Values g = random.Reals(Count(p.grad_output), 0.5, 1),
             x = random.Reals(Count(p.input), 0.5, 1), w = random.Reals(Count(p.weight), 0.5, 1);
      const auto pixel = [&](int64_t pixels) {
        return round % 3 == 0 ? pixels - 1 : random.Integer(0, pixels - 1);
      };
      if (round % 2 == 0) {
        g[random.Integer(0, p.grad_output[0] * p.grad_output[1] - 1) * out + pixel(out)] = kInf;
      }
      if (round % 4 != 0) {
        x[random.Integer(0, p.input[0] * p.input[1] - 1) * in + pixel(in)] = -kInf;
      }
      const Tensors t(p, g, x, w);
      ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
      EXPECT_TRUE(MeetsTruth(p, t));
    }
  }
}

// Short rows: windows that begin in the padding are followed by some that end in it, or do both,
// and taps meet nothing else.
TEST_F(ConvolutionBackward, WindowsThatMeetPaddingAtBothEnds) {
  struct Shape {
    std::vector<int64_t> input, kernel, stride, padding;
  };
  const Shape shapes[] = {
      {{2, 32, 8, 1, 8}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}},
      {{2, 32, 8, 1, 8}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}},
      {{2, 32, 8, 2, 8}, {4, 4, 4}, {2, 2, 2}, {1, 1, 1}},
      {{2, 32, 3, 8, 8}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}},
      {{2, 32, 4, 4, 4}, {4, 4, 4}, {2, 2, 2}, {1, 1, 1}},
      {{2, 32, 3, 8, 8}, {3, 1, 1}, {2, 1, 1}, {1, 0, 0}},
      {{2, 32, 5, 4, 4}, {5, 3, 3}, {2, 1, 1}, {3, 1, 1}},
      {{2, 32, 3, 4, 4}, {4, 3, 3}, {2, 1, 1}, {3, 1, 1}},
      {{8, 64, 8, 1}, {3, 3}, {2, 2}, {1, 1}},
      {{8, 64, 8, 1}, {5, 5}, {2, 2}, {2, 2}},
      {{8, 64, 1, 8}, {7, 7}, {2, 2}, {3, 3}},
      {{8, 64, 2}, {5}, {1}, {2}},
  };
  int number = 0;
  for (const Shape& shape : shapes) {
    for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      for (const bool transposed : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << "shape " << number / 6 << ", " << NameOf(dtype) << ", " << transposed);
        ++number;
        Problem p;
        p.transposed = transposed;
        p.input = shape.input;
        p.weight = {shape.input[1], shape.input[1]};
        p.weight.insert(p.weight.end(), shape.kernel.begin(), shape.kernel.end());
        p.stride = shape.stride;
        p.padding = shape.padding;
        p.dilation.assign(shape.kernel.size(), 1);
        p.output_padding.assign(shape.kernel.size(), 0);
        p.Dtype(dtype);
        InferGradOutput(p);
        if (std::any_of(p.grad_output.begin(), p.grad_output.end(),
                        [](int64_t extent) { return extent <= 0; })) {
          continue;
        }
        ExpectMeetsTruth(p, 40);
      }
    }
  }
}

TEST_F(ConvolutionBackward, Float16SumsMayPassThroughLargeValues) {
  Problem p = {{1, 1, 3}, {1, 1, 3}, {1, 1, 1}, {1}, {0}, {1}, {0}};
  p.Dtype(DType::kFloat16);
  {
    const Tensors t(p, {60000, 60000, -60000}, {1, 1, 1}, {1});
    ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
    EXPECT_EQ(t.grad_weight->Values(), Values{60000});
    EXPECT_EQ(t.grad_bias->Values(), Values{60000});
  }
  const Tensors t(p, {32768, 32768, 0}, {1, 1, 1}, {1});
  ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
  EXPECT_EQ(t.grad_weight->Values(), Values{kInf});
  EXPECT_EQ(t.grad_bias->Values(), Values{kInf});
}

TEST_F(ConvolutionBackward, BFloat16SumsKeepCounting) {
  for (const int64_t channels : {1, 32}) {
    Problem p = {
        {1, channels, 512}, {1, channels, 512}, {channels, channels, 1}, {1}, {0}, {1}, {0}};
    p.Dtype(DType::kBFloat16);
    const Tensors t(p, Values(static_cast<size_t>(512 * channels), 1.0),
                    Values(static_cast<size_t>(512 * channels), 1.0),
                    Values(static_cast<size_t>(channels * channels), 1.0));
    ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
    EXPECT_EQ(t.grad_weight->Values(), Values(static_cast<size_t>(channels * channels), 512.0));
    EXPECT_EQ(t.grad_bias->Values(), Values(static_cast<size_t>(channels), 512.0));
  }
}

// ---- Section 7

TEST_F(ConvolutionBackward, SeedSampleAsDeclared) {
  Problem p = {{2, 2, 7, 7}, {2, 2, 7, 7}, {2, 2, 1, 1}, {1, 1}, {0, 0}, {1, 1}, {0, 0}};
  p.Dtype(DType::kFloat16);
  // Float ones read as pairs of float16: 0 and 1.875.
  Values image, weight = {0, 1.875, 0, 1.875};
  for (int i = 0; i < 196; ++i) image.push_back(i % 2 == 0 ? 0 : 1.875);
  const Tensors t(p, image, image, weight);
  ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
  Values grad_input;
  for (int i = 0; i < 196; ++i) grad_input.push_back(i / 49 % 2 == 0 ? 0 : 3.515625);
  EXPECT_EQ(t.grad_input->Values(), grad_input);
  EXPECT_EQ(t.grad_weight->Values(), (Values{168.75, 0, 0, 175.75}));
  EXPECT_EQ(t.grad_bias->Values(), (Values{90, 93.75}));
}

TEST_F(ConvolutionBackward, SeedSampleAsIntended) {
  for (DType dtype : {DType::kFloat32, DType::kFloat16}) {
    Problem p = {{2, 2, 7, 7}, {2, 2, 7, 7}, {2, 2, 1, 1}, {1, 1}, {0, 0}, {1, 1}, {0, 0}};
    p.Dtype(dtype);
    p.cube_math_type = 1;
    const Tensors t(p, Values(196, 1.0), Values(196, 1.0), Values(4, 1.0));
    ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
    EXPECT_EQ(t.grad_input->Values(), Values(196, 2.0));
    EXPECT_EQ(t.grad_weight->Values(), Values(4, 98.0));
    EXPECT_EQ(t.grad_bias->Values(), Values(2, 98.0));
  }
}

// ---- Views

std::vector<int64_t> PermutedStrides(const std::vector<int64_t>& shape,
                                     const std::vector<size_t>& outer_to_inner, int64_t step) {
  std::vector<int64_t> stride(shape.size());
  for (size_t i = outer_to_inner.size(); i-- > 0;) {
    stride[outer_to_inner[i]] = step;
    step *= shape[outer_to_inner[i]] + (i % 2 == 1 ? 1 : 0);
  }
  return stride;
}

TEST_F(ConvolutionBackward, StridedViewsWithOffsets) {
  for (const int64_t channels : {2, 24}) {
    for (bool transposed : {false, true}) {
      for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
        for (int round = 0; round < 4; ++round) {
          SCOPED_TRACE(::testing::Message()
                       << channels << ' ' << transposed << ' ' << NameOf(dtype) << ' ' << round);
          Problem p = {
              {}, {2, channels, 10, 9}, {channels, channels, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
          p.transposed = transposed;
          p.Dtype(dtype);
          InferGradOutput(p);
          const std::vector<std::vector<size_t>> orders = {
              {0, 2, 3, 1}, {1, 0, 2, 3}, {0, 1, 3, 2}, {0, 1, 2, 3}};
          const auto view = [&](const std::vector<int64_t>& shape, size_t shift, int64_t step) {
            Options options;
            options.stride =
                PermutedStrides(shape, orders[(static_cast<size_t>(round) + shift) % 4], step);
            options.offset = 3;
            return options;
          };
          Tensors::Views views;
          views.grad_output = view(p.grad_output, 0, 1);
          views.input = view(p.input, 1, 1);
          views.weight = view(p.weight, 2, 1);
          views.grad_input = view(p.input, 3, 2);
          views.grad_weight = view(p.weight, 0, 1);
          Random random(11);
          const Tensors t(p, random, views);
          ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
          EXPECT_TRUE(MeetsTruth(p, t));
        }
      }
    }
  }
}

// In bfloat16 with AMX most of these become one image, or have every second element taken out and
// put back in, or both; so have many of them in float32.
TEST_F(ConvolutionBackward, OwnProductsInAnyView) {
  struct Shape {
    std::vector<int64_t> input, weight, stride;
    int groups = 1;
  };
  const Shape shapes[] = {
      {{8, 64, 3, 4}, {64, 64, 1, 1}, {1, 1}},
      {{8, 64, 5, 7}, {64, 64, 1, 1}, {2, 2}},
      {{8, 72, 6, 8}, {80, 72, 1, 1}, {2, 2}},
      {{9, 128, 2, 3, 4}, {128, 128, 1, 1, 1}, {1, 1, 1}},
      {{9, 96, 3, 5, 4}, {96, 96, 1, 1, 1}, {2, 3, 2}},
      {{9, 96, 20}, {96, 96, 1}, {2}},
      {{3, 16, 33, 35}, {48, 16, 1, 1}, {2, 2}},
      {{2, 16, 70, 67}, {16, 16, 1, 1}, {1, 2}},
      {{8, 16, 6, 8}, {64, 16, 2, 2}, {2, 2}},
      {{8, 16, 7, 9}, {64, 16, 2, 2}, {2, 2}},
      {{2, 16, 2, 300}, {64, 16, 1, 1}, {1, 2}},
      {{8, 128, 4, 4}, {128, 128, 1, 1}, {int64_t{1} << 62, 1}},
      {{2, 64, 6, 7}, {64, 64, 3, 3}, {1, 1}},
      {{2, 64, 9, 10}, {64, 64, 3, 3}, {2, 2}},
      {{2, 64, 3, 9}, {64, 64, 1, 4}, {int64_t{1} << 60, 1}},
      {{1, 64, 3, 5, 4}, {64, 64, 2, 3, 2}, {1, 2, 1}},
      {{2, 64, 30}, {64, 64, 5}, {2}},
      {{7, 24, 7, 6}, {32, 24, 3, 3}, {1, 1}},  // windows on short vectors, these four
      {{5, 64, 11, 12}, {72, 64, 3, 2}, {2, 2}},
      {{2, 17, 9, 34}, {24, 17, 2, 3}, {1, 1}},
      {{1, 64, 300}, {64, 64, 3}, {2}},
      {{8, 160, 7, 9}, {48, 160, 1, 1}, {1, 1}},
      {{4, 96, 11, 10}, {16, 96, 1, 1}, {1, 1}},
      {{3, 24, 17, 19}, {24, 1, 3, 3}, {1, 1}, 24},  // depthwise windows, these two
      {{2, 24, 18, 37}, {24, 1, 5, 5}, {2, 2}, 24},
      {{3, 32, 15, 14}, {32, 8, 3, 3}, {1, 1}, 4},  // windows in groups, these two
      {{3, 36, 16, 15}, {36, 4, 3, 3}, {2, 1}, 9},
  };
  const DType dtypes[] = {DType::kBFloat16, DType::kFloat32, DType::kFloat16};
  for (const Shape& shape : shapes) {
    for (const bool transposed : {false, true}) {
      for (int round = 0; round < 15; ++round) {
        const DType dtype = dtypes[round / 5];
        SCOPED_TRACE(::testing::Message()
                     << ::testing::PrintToString(shape.input) << ' ' << transposed << ' ' << round);
        const size_t dims = shape.stride.size();
        Problem p;
        p.input = shape.input;
        p.weight = shape.weight;
        if (transposed) p.input[1] = p.weight[0];
        p.stride = shape.stride;
        p.groups = shape.groups;
        p.dilation.assign(dims, 1);
        p.padding.assign(dims, 0);
        p.output_padding.assign(dims, 0);
        p.transposed = transposed;
        // An absurd step leaves one window, but of an absurd output.
        if (transposed && p.stride[0] > 3) continue;
        p.mask[0] = round % 5 != 1;
        p.mask[1] = round % 5 != 2;
        p.Dtype(dtype);
        InferGradOutput(p);
        const auto view = [&](const std::vector<int64_t>& of, size_t shift, int64_t step) {
          Options options;
          if (round % 5 == 4) return options;
          std::vector<size_t> order(of.size());
          std::iota(order.begin(), order.end(), size_t{0});
          std::rotate(order.begin(), order.begin() + (static_cast<size_t>(round % 5) + shift) % 3,
                      order.end());
          options.stride = PermutedStrides(of, order, step);
          options.offset = 5;
          return options;
        };
        Tensors::Views views;
        views.grad_output = view(p.grad_output, 0, 1);
        views.input = view(p.input, 0, 1);
        views.weight = view(p.weight, 1, 1);
        views.grad_input = view(p.input, 0, round % 5 == 3 ? 2 : 1);
        views.grad_weight = view(p.weight, 2, 1);
        Random random(13);
        const Tensors t(p, random, views);
        ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
        EXPECT_TRUE(MeetsTruth(p, t));
      }
    }
  }
}

TEST_F(ConvolutionBackward, ExpandedGradientOfASum) {
  for (const int64_t channels : {2, 32, 64}) {
    Problem p = {{2, channels, 8, 8},
                 {2, channels, 8, 8},
                 {channels, channels, 3, 3},
                 {1, 1},
                 {1, 1},
                 {1, 1},
                 {0, 0}};
    Tensors::Views views;
    views.grad_output.stride = {0, 0, 0, 0};
    Random random(12);
    const Tensors t(p, Values(static_cast<size_t>(Count(p.grad_output)), 1.0),
                    random.Reals(Count(p.input), -1, 1), random.Reals(Count(p.weight), -1, 1),
                    views);
    ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
    EXPECT_TRUE(MeetsTruth(p, t));
  }
}

// The channels of gradOutput are one, an odd number of times: what our own kernels pair.
TEST_F(ConvolutionBackward, ExpandedChannels) {
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    Problem p = {{}, {2, 3, 40, 40}, {17, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
    p.Dtype(dtype);
    InferGradOutput(p);
    Random random(15);
    const std::vector<double> plane = random.Reals(1600, -1, 1);
    std::vector<double> grad_output;
    for (int i = 0; i < 2 * 17; ++i) {
      grad_output.insert(grad_output.end(), plane.begin(), plane.end());
    }
    Tensors::Views views;
    views.grad_output.stride = {1600, 0, 40, 1};
    const Tensors t(p, grad_output, random.Reals(Count(p.input), -1, 1),
                    random.Reals(Count(p.weight), -1, 1), views);
    ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
    EXPECT_TRUE(MeetsTruth(p, t));
  }
}

// The stride of an extent of one may be of any size.
TEST_F(ConvolutionBackward, StridesThatNobodySteps) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    for (const int64_t channels : {1, 2}) {
      Problem p = {{}, {1, channels, 50, 50}, {17, channels, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
      p.Dtype(dtype);
      InferGradOutput(p);
      Random random(16);
      Tensors::Views views;
      views.input.stride = views.grad_input.stride = {kHuge, channels == 1 ? kHuge : 2500, 50, 1};
      views.grad_output.stride = {kHuge, 2500, 50, 1};
      const Tensors t(p, random, views);
      ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
      EXPECT_TRUE(MeetsTruth(p, t));
    }
  }
}

// ---- Threads

TEST_F(ConvolutionBackward, RepeatsBitForBit) {
  for (DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    Problem p = {{4, 32, 14, 14}, {4, 32, 14, 14}, {32, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
    p.Dtype(dtype);
    Random random(13), again(13);
    const Tensors a(p, random), b(p, again);
    ACLIMB_ASSERT_OK(RunProblem(p, a, stream_));
    ACLIMB_ASSERT_OK(RunProblem(p, b, stream_));
    EXPECT_EQ(a.grad_input->Bytes(), b.grad_input->Bytes());
    EXPECT_EQ(a.grad_weight->Bytes(), b.grad_weight->Bytes());
    EXPECT_EQ(a.grad_bias->Bytes(), b.grad_bias->Bytes());
  }
}

TEST_F(ConvolutionBackward, ARepeatableExecutorRunsAgain) {
  const Problem p = {{2, 16, 9, 9}, {2, 16, 9, 9}, {16, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
  Random random(14);
  const Tensors t(p, random);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ACLIMB_ASSERT_OK(Phase1Of(p, t, &size, &executor));
  ASSERT_GT(size, 0u);
  const aclimb::testing::Workspace workspace(size);
  ACLIMB_ASSERT_OK(aclSetAclOpExecutorRepeatable(executor));
  for (int round = 0; round < 3; ++round) {
    t.grad_input->Poison();
    t.grad_weight->Poison();
    t.grad_bias->Poison();
    ACLIMB_ASSERT_OK(aclnnConvolutionBackward(workspace.get(), size, executor, stream_));
    ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_TRUE(MeetsTruth(p, t));
  }
  ACLIMB_EXPECT_OK(aclDestroyAclOpExecutor(executor));
}

TEST_F(ConvolutionBackward, Phase2NeedsTheWholeWorkspace) {
  const Problem p = {{2, 16, 9, 9}, {2, 16, 9, 9}, {16, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
  Random random(15);
  const Tensors t(p, random);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ACLIMB_ASSERT_OK(Phase1Of(p, t, &size, &executor));
  EXPECT_EQ(aclnnConvolutionBackward(nullptr, size, executor, stream_), 161001);
  ACLIMB_ASSERT_OK(Phase1Of(p, t, &size, &executor));
  const aclimb::testing::Workspace workspace(size);
  EXPECT_EQ(aclnnConvolutionBackward(workspace.get(), size - 1, executor, stream_), 161002);
  EXPECT_EQ(aclnnConvolutionBackward(workspace.get(), size, executor, stream_), 561103);
}

// The threads of OpenMP's runtime have the process's default stack, which no machine has here.
TEST_F(ConvolutionBackward, OneThreadWillDoWhereThereIsNoTeam) {
  const Problem p = {{1, 16, 9, 55}, {1, 16, 9, 55}, {16, 16, 3, 3}, {1, 1},
                     {1, 1},         {1, 1},         {0, 0}};
  Random random(18);
  const Tensors t(p, random);
  pthread_attr_t before, absurd;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(pthread_attr_init(&absurd), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&absurd, size_t{1} << 46), 0);
  ASSERT_EQ(pthread_setattr_default_np(&absurd), 0);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const int code = Phase1Of(p, t, &size, &executor);
  ASSERT_EQ(pthread_setattr_default_np(&before), 0);
  ACLIMB_ASSERT_OK(code);
  ACLIMB_EXPECT_OK(aclDestroyAclOpExecutor(executor));
  ACLIMB_EXPECT_OK(RunProblem(p, t, stream_));
  EXPECT_TRUE(MeetsTruth(p, t));
}

// ---- Shapes that meet in pairs

TEST_F(ConvolutionBackward, RandomProblems) {
  Random random(16);
  for (int round = 0; round < 160; ++round) {
    Problem p;
    const int dims = static_cast<int>(random.Integer(1, 3));
    p.transposed = random.Chance(0.35);
    p.groups = static_cast<int>(random.Chance(0.4) ? random.Integer(2, 4) : 1);
    const int64_t widths[] = {1, 2, 3, 5, 8, 16, 24, 32};
    const int64_t a = widths[random.Integer(0, 7)], b = widths[random.Integer(0, 7)];
    p.input = {random.Integer(1, 3), p.transposed ? a * p.groups : b * p.groups};
    p.weight = {a * p.groups, b};
    const bool four = dims == 2 && random.Chance(0.3);
    for (int d = 0; d < dims; ++d) {
      p.stride.push_back(random.Integer(1, 3));
      p.dilation.push_back(random.Integer(1, 2));
      p.weight.push_back(random.Integer(1, dims == 1 ? 7 : 4));
      // Short rows too, whose windows meet padding at both ends.
      p.input.push_back(random.Chance(0.3) ? random.Integer(1, 5)
                                           : random.Integer(dims == 1 ? 20 : 6, dims == 1   ? 60
                                                                                : dims == 2 ? 14
                                                                                            : 7));
      p.output_padding.push_back(p.transposed ? random.Integer(0, p.stride.back() - 1) : 0);
    }
    for (int d = 0; d < (four ? 4 : dims); ++d) p.padding.push_back(random.Integer(0, 2));
    const DType dtypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
    p.Dtype(dtypes[random.Integer(0, 2)]);
    InferGradOutput(p);
    bool possible = true;
    for (int64_t extent : p.grad_output) possible = possible && extent > 0;
    if (!possible) continue;
    const Tensors t(p, random);
    ACLIMB_ASSERT_OK(RunProblem(p, t, stream_)) << round;
    ASSERT_TRUE(MeetsTruth(p, t)) << round;
  }
}

// Values of every parameter that meet in pairs: each problem draws one of each at random, so that a
// few hundred problems hold every pair many times.
TEST_F(ConvolutionBackward, EverythingMeetsEverything) {
  Random random(19);
  const DType dtypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
  const auto pick = [&](int64_t low, int64_t high) { return random.Integer(low, high); };
  // Any order of the dimensions, gaps, and an offset; inputs may also repeat along one dimension.
  const auto view = [&](const std::vector<int64_t>& shape, bool input) {
    Options options;
    if (random.Chance(0.4)) return options;
    std::vector<size_t> order(shape.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (size_t i = order.size(); i-- > 1;) {
      std::swap(order[i], order[static_cast<size_t>(pick(0, static_cast<int64_t>(i)))]);
    }
    options.stride = PermutedStrides(shape, order, pick(1, 2));
    if (input && random.Chance(0.15)) options.stride[order[0]] = 0;
    options.offset = pick(0, 5);
    return options;
  };
  int problems = 0;
  for (int round = 0; round < 400; ++round) {
    Problem p;
    const int dims = static_cast<int>(pick(1, 3));
    p.transposed = random.Chance(0.5);
    p.groups = static_cast<int>(random.Chance(0.5) ? pick(2, 4) : 1);
    const int64_t widths[] = {1, 2, 3, 8, 16, 24};
    const int64_t a = widths[pick(0, 5)], b = random.Chance(0.3) ? 1 : widths[pick(0, 5)];
    p.input = {pick(1, 2), p.transposed ? a * p.groups : b * p.groups};
    p.weight = {a * p.groups, b};
    // Arrays of one entry stand for all dimensions; in two dimensions padding may have four.
    const int form = static_cast<int>(pick(0, 2));
    const int entries = form == 0 ? 1 : dims;
    for (int d = 0; d < dims; ++d) {
      p.weight.push_back(pick(1, dims == 1 ? 7 : 3));
      p.input.push_back(pick(dims == 1 ? 20 : 5, dims == 1 ? 50 : dims == 2 ? 12 : 6));
    }
    for (int d = 0; d < entries; ++d) {
      p.stride.push_back(pick(1, 3));
      p.dilation.push_back(pick(1, 3));
      p.output_padding.push_back(p.transposed ? pick(0, p.stride.back() - 1) : 0);
    }
    const int paddings = form == 2 && dims == 2 ? 4 : entries;
    for (int d = 0; d < paddings; ++d) p.padding.push_back(pick(0, 3));
    const bool mixed = random.Chance(0.6);
    p.Dtype(dtypes[pick(0, 2)]);
    for (DType& dtype : p.dtypes) {
      if (mixed) dtype = dtypes[pick(0, 2)];
    }
    p.cube_math_type = static_cast<int8_t>(pick(0, 3));
    InferGradOutput(p);
    if (std::any_of(p.grad_output.begin(), p.grad_output.end(),
                    [](int64_t extent) { return extent <= 0; })) {
      continue;
    }
    const int which = static_cast<int>(pick(0, 9));  // mostly all outputs
    if (which < 3) p.mask[which] = false;
    Tensors::Views views;
    views.grad_output = view(p.grad_output, true);
    views.input = view(p.input, true);
    views.weight = view(p.weight, true);
    views.grad_input = view(p.input, false);
    views.grad_weight = view(p.weight, false);
    const Tensors t(p, random, views);
    ACLIMB_ASSERT_OK(RunProblem(p, t, stream_)) << round;
    ASSERT_TRUE(MeetsTruth(p, t)) << round;
    ++problems;
  }
  EXPECT_GT(problems, 300);
}

// One problem for each layout that oneDNN is given, from views of any strides.
TEST_F(ConvolutionBackward, EveryLayoutOfOneDnn) {
  struct Shape {
    std::vector<int64_t> input, weight;
    int64_t stride, padding;
  };
  const Shape shapes[] = {
      {{1, 24, 23, 23}, {72, 24, 1, 1}, 1, 0},    // a product for both gradients
      {{1, 72, 23, 23}, {40, 72, 1, 1}, 1, 0},    // in float32 for gradInput alone
      {{1, 32, 45, 45}, {72, 32, 1, 1}, 2, 0},    // with gaps
      {{3, 1024, 5, 5}, {48, 1024, 1, 1}, 1, 0},  // weights whose columns collide in a cache
      {{3, 48, 9, 9}, {96, 48, 1, 1}, 1, 0},      // short images
      {{1, 256, 5, 5}, {512, 256, 3, 3}, 1, 1},   // a heavy weight: a product on one thread
      {{2, 20, 17, 17}, {24, 20, 3, 3}, 1, 1},    // channels last
      {{2, 9, 17, 17}, {16, 9, 3, 3}, 1, 1},      // the same in float32 alone
      {{2, 40, 11, 11}, {40, 40, 3, 3}, 1, 1},    // and with more channels
      {{3, 12, 13, 13}, {24, 12, 3, 3}, 2, 1},
      {{2, 3, 23, 23}, {32, 3, 3, 3}, 2, 1},     // a first layer
      {{2, 32, 1, 120}, {32, 32, 1, 64}, 1, 0},  // a window that no direct kernel knows
  };
  for (const Shape& shape : shapes) {
    for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      for (const bool permuted : {false, true}) {
        if (permuted && Count(shape.weight) > 1 << 20) continue;  // the truth takes its time
        SCOPED_TRACE(::testing::Message() << shape.weight[0] << "x" << shape.weight[1] << ", "
                                          << NameOf(dtype) << (permuted ? ", permuted" : ""));
        Problem p;
        p.input = shape.input;
        p.weight = shape.weight;
        p.stride = {shape.stride, shape.stride};
        p.padding = {shape.padding, shape.padding};
        p.dilation = {1, 1};
        p.output_padding = {0, 0};
        p.Dtype(dtype);
        InferGradOutput(p);
        Tensors::Views views;
        if (permuted) {
          const auto channels_last = [](const std::vector<int64_t>& s) {
            Options options;
            options.stride = {s[1] * s[2] * s[3], 1, s[1] * s[3], s[1]};
            return options;
          };
          views.grad_output = channels_last(p.grad_output);
          views.input = channels_last(p.input);
          views.weight = channels_last(p.weight);
          views.grad_input = channels_last(p.input);
          views.grad_weight = channels_last(p.weight);
        }
        Random random(18);
        const Tensors t(p, random, views);
        ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
        EXPECT_TRUE(MeetsTruth(p, t));
      }
    }
  }
}

// Windows side by side take a path of their own, with and without a remainder behind the last.
TEST_F(ConvolutionBackward, WindowsSideBySide) {
  for (bool transposed : {false, true}) {
    for (const int64_t rest : {0, 1}) {
      for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
        Problem p;
        p.transposed = transposed;
        p.input = {4, 8, transposed ? 12 : 48 + rest, transposed ? 12 : 48};
        p.weight =
            transposed ? std::vector<int64_t>{8, 16, 4, 2} : std::vector<int64_t>{32, 8, 4, 2};
        p.stride = {4, 2};
        p.padding = {0, 0};
        p.dilation = {1, 1};
        p.output_padding = {transposed ? rest : 0, 0};
        p.Dtype(dtype);
        InferGradOutput(p);
        ExpectMeetsTruth(p, 17);
      }
    }
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
