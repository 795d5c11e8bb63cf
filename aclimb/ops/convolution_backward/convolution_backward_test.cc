// The operator through its C interface: the documented results, and what no drawn call has.

#include <pthread.h>

#include <limits>

#include "aclimb/ops/convolution_backward/forward_truth.h"
#include "aclimb/ops/convolution_backward/test_problem.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::IntArray;
using aclimb::testing::Random;

using Values = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

Values CountTo(int64_t count) {
  Values values;
  for (int64_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i));
  return values;
}
// Of so many numbers, those at even and odd places of blocks of `block`.
Values Alternating(int64_t count, int64_t block, double even, double odd) {
  Values values;
  for (int64_t i = 0; i < count; ++i) values.push_back(i / block % 2 == 0 ? even : odd);
  return values;
}
Values Same(int64_t count, double value) { return Alternating(count, 1, value, value); }

// As a tensor of the dtype holds them.
Values In(DType dtype, Values values) {
  for (double& value : values) value = aclimb::testing::Rounded(value, dtype);
  return values;
}

class ConvolutionBackward : public aclimb::testing::DeviceTest {};

// ---- Results that were computed by hand

struct Example {
  const char* name;
  std::vector<DType> dtypes;
  Problem problem;
  Values grad_output, input, weight;
  Values grad_input, grad_weight, grad_bias;
};

std::vector<Example> Examples() {
  const std::vector<DType> all = {DType::kBFloat16, DType::kFloat16, DType::kFloat32};
  const std::vector<DType> half = {DType::kFloat16}, brain = {DType::kBFloat16};
  std::vector<Example> examples;
  const auto add = [&](const char* name, const std::vector<DType>& dtypes, const Problem& problem,
                       const Values& grad_output, const Values& input, const Values& weight,
                       const Values& grad_input, const Values& grad_weight,
                       const Values& grad_bias) {
    examples.push_back(
        {name, dtypes, problem, grad_output, input, weight, grad_input, grad_weight, grad_bias});
  };
  // Section 8, in its order.
  add("one dimension with stride, padding and dilation", all,
      {{1, 2, 3}, {1, 1, 5}, {2, 1, 2}, {2}, {1}, {2}, {0}}, CountTo(6), CountTo(5), {1, 2, -1, 3},
      {0, 11, 0, 16, 0}, {16, 10, 34, 28}, {6, 15});
  add("four paddings are top, bottom, left, right", all,
      {{1, 2, 2, 4}, {1, 2, 3, 3}, {2, 1, 2, 2}, {2, 1}, {1, 0, 2, 1}, {1, 2}, {0, 0}, 2},
      CountTo(16), CountTo(18), CountTo(8),
      {13, 20, 12, 17, 20, 14, 41, 48, 28, 149, 164, 88, 153, 164, 90, 209, 224, 120},
      {68, 92, 124, 160, 419, 590, 754, 1048}, {36, 100});
  add("transposed, with groups and output padding", all,
      {{1, 2, 6}, {1, 2, 3}, {2, 1, 3}, {2}, {1}, {1}, {1}, 2, true}, CountTo(12), CountTo(6),
      CountTo(6), {8, 20, 32, 83, 137, 167}, {16, 22, 28, 100, 139, 154}, {21, 57});
  add("transposed, two dimensions", all,
      {{1, 2, 4, 4}, {1, 1, 2, 2}, {1, 2, 2, 2}, {2, 2}, {0, 0}, {1, 1}, {0, 0}, 1, true},
      CountTo(32), CountTo(4), CountTo(8), {560, 632, 848, 920},
      {78, 88, 118, 128, 238, 248, 278, 288}, {136, 392});
  const std::vector<int64_t> ones = {1, 1, 1}, zeros = {0, 0, 0};
  add("three dimensions", all,
      {{1, 1, 1, 2, 1}, {1, 1, 2, 2, 2}, {1, 1, 2, 1, 2}, ones, zeros, ones, zeros}, {1, 2},
      CountTo(8), CountTo(4), {1, 2, 2, 4, 3, 4, 6, 8}, {7, 10, 19, 22}, {3});
  add("elements that no window meets", all, {{1, 1, 2}, {1, 1, 6}, {1, 1, 2}, {3}, {0}, {1}, {0}},
      {1, 2}, CountTo(6), {1, 10}, {1, 10, 0, 2, 20, 0}, {9, 12}, {3});
  // Section 7: float ones read as pairs of float16, 0 and 1.875; and as they are meant.
  Problem sample = {{2, 2, 7, 7}, {2, 2, 7, 7}, {2, 2, 1, 1}, {1, 1}, {0, 0}, {1, 1}, {0, 0}};
  const Values pairs = Alternating(196, 1, 0, 1.875);
  add("the sample as declared", half, sample, pairs, pairs, {0, 1.875, 0, 1.875},
      Alternating(196, 49, 0, 3.515625), {168.75, 0, 0, 175.75}, {90, 93.75});
  sample.cube_math_type = 1;
  add("the sample as intended", {DType::kFloat16, DType::kFloat32}, sample, Same(196, 1),
      Same(196, 1), Same(4, 1), Same(196, 2), Same(4, 98), {98, 98});
  // What a half type cannot hold on the way.
  const Problem three = {{1, 1, 3}, {1, 1, 3}, {1, 1, 1}, {1}, {0}, {1}, {0}};
  const Values large = {60000, 60000, -60000}, beyond = {32768, 32768, 0};
  add("float16 sums through large values", half, three, large, {1, 1, 1}, {1}, large, {60000},
      {60000});
  add("float16 sums beyond all values", half, three, beyond, {1, 1, 1}, {1}, beyond, {kInf},
      {kInf});
  for (const int64_t c : {1, 32}) {
    const Values pixels = Same(512 * c, 1);
    add("bfloat16 keeps counting", brain, {{1, c, 512}, {1, c, 512}, {c, c, 1}, {1}, {0}, {1}, {0}},
        pixels, pixels, Same(c * c, 1), Same(512 * c, static_cast<double>(c)), Same(c * c, 512),
        Same(c, 512));
  }
  // Nothing is convolved.
  add("no input channels", all,
      {{2, 4, 6, 6}, {2, 0, 6, 6}, {4, 0, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}}, Same(288, 1), {},
      {}, {}, {}, Same(4, 0));
  return examples;
}

TEST_F(ConvolutionBackward, Examples) {
  for (const Example& example : Examples()) {
    for (const DType dtype : example.dtypes) {
      SCOPED_TRACE(::testing::Message() << example.name << ", " << NameOf(dtype));
      Problem p = example.problem;
      p.dtype = dtype;
      const Tensors t(p, example.grad_output, example.input, example.weight);
      ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
      EXPECT_EQ(t.grad_input.Values(), In(dtype, example.grad_input));
      EXPECT_EQ(t.grad_weight.Values(), In(dtype, example.grad_weight));
      EXPECT_EQ(t.grad_bias.Values(), In(dtype, example.grad_bias));
    }
  }
}

// ---- Infinities and NaNs reach what they meet, and nothing else

// Padding is absent, and so is what strides step over and what fills up pairs, vectors and tiles,
// also where a product writes it out as zeros.
TEST_F(ConvolutionBackward, InfinityMeetsNothingAbsent) {
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
      // Pairs of pixels that products fill up.
      {{2, 64, 7, 7}, {48, 64, 1, 1}},
      {{1, 130, 1, 33}, {67, 130, 1, 1}},
      {{8, 257, 1, 1}, {129, 257, 1, 1}},
      {{3, 40, 9, 9}, {96, 40, 1, 1}, false, 2},
      {{1, 64, 11, 15}, {33, 64, 1, 1}},
      {{4, 96, 6, 6}, {32, 96, 2, 2}, false, 2, 1, 1, false},
      {{2, 1024, 5, 5}, {64, 1024, 1, 1}},
      {{1, 34, 35, 35}, {32, 34, 3, 3}, false, 1, 1, 1, false},
      {{3, 512, 13, 13}, {1, 512, 1, 1}},
      {{5, 1, 29, 29}, {400, 1, 1, 1}},
      {{64, 96, 1, 1}, {96, 96, 1, 1}},
      {{1, 24, 1, 4097}, {24, 24, 1, 1}},
  };
  Random random(11);
  for (const Shape& shape : shapes) {
    for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      if (shape.input[1] == 384 && dtype != DType::kFloat32) continue;  // the truth takes its time
      Problem p;
      p.input = shape.input;
      p.weight = shape.weight;
      p.transposed = shape.transposed;
      p.groups = static_cast<int>(shape.groups);
      const size_t dims = shape.input.size() - 2;
      p.stride.assign(dims, shape.stride);
      p.dilation.assign(dims, shape.dilation);
      p.output_padding.assign(dims, 0);
      p.padding.assign(dims, 0);
      for (size_t d = 0; shape.padded && d < dims; ++d) p.padding[d] = shape.weight[2 + d] / 2;
      p.dtype = dtype;
      InferGradOutput(p);
      const Values finite_g = random.Reals(Count(p.grad_output), 0.5, 1),
                   finite_x = random.Reals(Count(p.input), 0.5, 1),
                   finite_w = random.Reals(Count(p.weight), 0.5, 1);
      const Definition finite = TruthOf(p, Tensors(p, finite_g, finite_x, finite_w));
      for (int where = 0; where < 7; ++where) {
        // What is converted takes the ways of the other two.
        if (dtype == DType::kFloat32 && (where == 1 || where == 4 || where == 6)) continue;
        if (dtype == DType::kFloat16 && where != 3) continue;
        SCOPED_TRACE(::testing::Message() << ::testing::PrintToString(shape.input) << " with "
                                          << ::testing::PrintToString(shape.weight) << ", "
                                          << NameOf(dtype) << ", case " << where);
        Values g = finite_g, x = finite_x, w = finite_w;
        // The last pixel of any channel.
        const auto last = [&](Values& values, const std::vector<int64_t>& of) -> double& {
          const int64_t channels = of[0] * of[1], pixels = Count(of) / channels;
          return values[static_cast<size_t>(random.Integer(1, channels) * pixels - 1)];
        };
        if (where == 0) g.back() = kInf;
        if (where == 1) x.front() = -kInf;
        if (where == 2) w.front() = kInf;
        if (where == 3) last(g, p.grad_output) = kInf, last(x, p.input) = -kInf;
        if (where == 4) g[g.size() / 3] = kInf, x[x.size() / 3] = std::nan("");
        if (where == 5) g[g.size() / 2] = -kInf, g[g.size() / 2 + 1] = kInf, w[w.size() / 2] = kInf;
        if (where == 6) g[g.size() / 3] = std::nan(""), g[g.size() / 4] = kInf;
        const Tensors t(p, g, x, w);
        ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
        Definition truth = finite;
        truth.Replace(g, x, w);
        EXPECT_TRUE(Meets(truth, p, t));
      }
    }
  }
}

// What an infinite weight makes of padding is mended beside channels whose bias is NaN or infinite.
TEST_F(ConvolutionBackward, NaNOrInfinityOfABiasStaysInItsChannel) {
  struct Shape {
    std::vector<int64_t> input, weight;
    bool transposed = false;
  };
  // The first and last lines of the windows meet only padding where an image has one line.
  const Shape shapes[] = {{{2, 32, 1, 40}, {32, 32, 3, 3}},
                          {{2, 32, 1, 40}, {32, 32, 3, 3}, true},
                          {{1, 5, 1, 17}, {8, 5, 3, 3}},
                          {{1, 5, 1, 17}, {5, 8, 3, 3}, true},
                          {{2, 64, 14, 14}, {64, 64, 3, 3}}};
  Random random(51);
  for (const Shape& shape : shapes) {
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      SCOPED_TRACE(::testing::Message() << ::testing::PrintToString(shape.input) << ", "
                                        << NameOf(dtype) << ", transposed " << shape.transposed);
      Problem p;
      p.input = shape.input;
      p.weight = shape.weight;
      p.transposed = shape.transposed;
      p.stride = p.padding = p.dilation = {1, 1};
      p.output_padding = {0, 0};
      p.dtype = dtype;
      InferGradOutput(p);
      const std::vector<int64_t>& of_output = p.grad_output;
      Values w = random.Reals(Count(p.weight), -1, 1);
      w[0] = kInf;
      Values b = random.Reals(of_output[1], -1, 1);
      b[3] = std::nan("");
      b[5] = kInf;
      b[6] = -kInf;
      const aclimb::testing::DeviceTensor input(p.input, dtype,
                                                random.Reals(Count(p.input), -1, 1)),
          weight(p.weight, dtype, w), bias({of_output[1]}, dtype, b), output(of_output, dtype);
      const IntArray stride(p.stride), padding(p.padding), dilation(p.dilation),
          output_padding(p.output_padding);
      ACLIMB_ASSERT_OK(aclimb::testing::RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnConvolutionGetWorkspaceSize(input, weight, bias, stride, padding, dilation,
                                                    p.transposed, output_padding, p.groups, output,
                                                    0, size, executor);
          },
          &aclnnConvolution, stream_));
      Definition sums;
      sums.weight_shape = p.weight;
      sums.stride = sums.dilation = sums.pad = {1, 1};
      sums.transposed = p.transposed;
      const forward::Output truth(sums, p.input, of_output, input.Values(), weight.Values(),
                                  bias.Values());
      EXPECT_TRUE(Meets("output", output, dtype, truth.values, truth.magnitude));
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
  Random random(40);
  for (const Shape& shape : shapes) {
    for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      for (const bool transposed : {false, true}) {
        SCOPED_TRACE(::testing::Message() << ::testing::PrintToString(shape.input) << ", "
                                          << NameOf(dtype) << ", transposed " << transposed);
        Problem p;
        p.transposed = transposed;
        p.input = shape.input;
        p.weight = {shape.input[1], shape.input[1]};
        p.weight.insert(p.weight.end(), shape.kernel.begin(), shape.kernel.end());
        p.stride = shape.stride;
        p.padding = shape.padding;
        p.dilation.assign(shape.kernel.size(), 1);
        p.output_padding.assign(shape.kernel.size(), 0);
        p.dtype = dtype;
        InferGradOutput(p);
        if (Count(p.grad_output) == 0) continue;
        const Tensors t(p, random);
        ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
        EXPECT_TRUE(MeetsTruth(p, t));
      }
    }
  }
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

}  // namespace
}  // namespace aclimb::convolution_backward
