// Long sums through the C interface, by whatever way a problem is computed: each operand is a
// single element in memory, so that many pixels and images cost none.

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <vector>

#include "aclimb/ops/convolution_backward/test_problem.h"
#include "aclimb/ops/convolution_backward/test_terms.h"
#include "aclimb/ops/convolution_backward/tolerance.h"
#include "tests/support/device.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::DeviceTensor;

// A tensor of one value.
class Expanded {
 public:
  Expanded(const std::vector<int64_t>& shape, DType dtype, double value)
      : element_({1}, dtype, {value}) {
    const std::vector<int64_t> strides(shape.size(), 0);
    const int64_t one = 1;
    view_ = aclCreateTensor(shape.data(), shape.size(), static_cast<aclDataType>(dtype),
                            strides.data(), 0, ACL_FORMAT_ND, &one, 1, element_.data());
  }
  ~Expanded() { (void)aclDestroyTensor(view_); }
  Expanded(const Expanded&) = delete;
  Expanded& operator=(const Expanded&) = delete;
  operator aclTensor*() const { return view_; }  // NOLINT: as a program passes it
  double value() const { return element_.Values()[0]; }

 private:
  DeviceTensor element_;
  aclTensor* view_;
};

struct Sums {
  const char* name;
  bool transposed;
  int64_t batch, in_channels, out_channels;
  int groups;
  std::vector<int64_t> in, kernel, stride;
};

void PrintTo(const Sums& s, std::ostream* out) { *out << s.name; }

class ExpandedSums : public aclimb::testing::DeviceTest,
                     public ::testing::WithParamInterface<Sums> {
 protected:
  void TearDown() override {
    ACLIMB_EXPECT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
    DeviceTest::TearDown();
  }
};

Problem ProblemOf(const Sums& s, DType dtype) {
  Problem p;
  p.transposed = s.transposed;
  p.groups = s.groups;
  p.input = {s.batch, s.in_channels};
  p.input.insert(p.input.end(), s.in.begin(), s.in.end());
  p.weight = s.transposed ? std::vector<int64_t>{s.in_channels, s.out_channels / s.groups}
                          : std::vector<int64_t>{s.out_channels, s.in_channels / s.groups};
  p.weight.insert(p.weight.end(), s.kernel.begin(), s.kernel.end());
  p.stride = s.stride;
  p.dilation.assign(s.in.size(), 1);
  p.padding = p.output_padding = std::vector<int64_t>(s.in.size(), 0);
  p.dtype = dtype;
  InferGradOutput(p);
  return p;
}

void ExpectSums(const DeviceTensor& got, double expected, DType dtype) {
  for (const double value : got.Values()) {
    ASSERT_NEAR(value / expected, 1, RelativeTolerance(dtype));
  }
}

// gradOutput is `term`, the other operands are one. The gradients that are null are not wanted.
double RunExpanded(const Problem& p, double term, const DeviceTensor* grad_input,
                   const DeviceTensor* grad_weight, const DeviceTensor* grad_bias,
                   aclrtStream stream) {
  const Expanded grad_output(p.grad_output, p.dtype, term), input(p.input, p.dtype, 1),
      weight(p.weight, p.dtype, 1);
  const auto handle = [](const DeviceTensor* tensor) { return tensor ? tensor->get() : nullptr; };
  ACLIMB_EXPECT_OK(RunProblem(
      p, {grad_output, input, weight, handle(grad_input), handle(grad_weight), handle(grad_bias)},
      stream));
  return grad_output.value();
}

TEST_P(ExpandedSums, OverPixels) {
  for (const int deterministic : {0, 1}) {
    ACLIMB_ASSERT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, deterministic));
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      SCOPED_TRACE(::testing::Message() << NameOf(dtype) << ", deterministic " << deterministic);
      const Problem p = ProblemOf(GetParam(), dtype);
      // Without padding every tap meets every window.
      const std::vector<int64_t>& windows = p.transposed ? p.input : p.grad_output;
      const int64_t terms = Count(windows) / windows[1];
      // As often as a thread of two adds it; sums of float16 stay below infinity.
      const double scale = dtype == DType::kFloat16 ? 0x1p-8 : 1;
      const DeviceTensor grad_weight(p.weight, dtype), grad_bias({p.grad_output[1]}, dtype);
      const double term =
          RunExpanded(p, scale * WorstTerm(terms / 2), nullptr, &grad_weight, &grad_bias, stream_);
      ExpectSums(grad_weight, static_cast<double>(terms) * term, dtype);
      const auto pixels = static_cast<double>(Count(p.grad_output) / p.grad_output[1]);
      ExpectSums(grad_bias, pixels * term, dtype);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    ConvolutionBackward, ExpandedSums,
    ::testing::Values(
        Sums{"a long line", false, 1, 1, 1, 1, {1000000}, {1}, {1}},
        Sums{"many images", false, 30001, 16, 16, 1, {1}, {1}, {1}},
        Sums{"many small images", false, 101, 16, 32, 1, {33, 33}, {3, 3}, {2, 2}},
        Sums{"many small volumes", false, 201, 16, 16, 1, {4, 10, 10}, {3, 3, 3}, {1, 1, 1}},
        Sums{"a large image", false, 1, 3, 16, 1, {517, 517}, {7, 7}, {2, 2}},
        Sums{"a large volume", false, 1, 32, 32, 1, {4, 102, 102}, {3, 3, 3}, {1, 1, 1}},
        Sums{"one channel", false, 1, 1, 1, 1, {1002, 1002}, {3, 3}, {1, 1}}));

// Of a gradient of the input.
class ExpandedChannels : public ExpandedSums {};

TEST_P(ExpandedChannels, AndTaps) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    SCOPED_TRACE(NameOf(dtype));
    const Problem p = ProblemOf(GetParam(), dtype);
    // A transposed convolution brings every tap to every pixel, one of single elements its only.
    const int64_t terms = GetParam().out_channels * Count(GetParam().kernel);
    const double scale = dtype == DType::kFloat16 ? 0x1p-4 : 1;
    const DeviceTensor grad_input(p.input, dtype);
    const double term =
        RunExpanded(p, scale * WorstTerm(terms), &grad_input, nullptr, nullptr, stream_);
    ExpectSums(grad_input, static_cast<double>(terms) * term, dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(
    ConvolutionBackward, ExpandedChannels,
    ::testing::Values(Sums{"many channels", true, 2, 16, 4096, 1, {8, 8}, {3, 3}, {1, 1}},
                      Sums{"large windows", true, 2, 16, 256, 1, {16, 16}, {11, 11}, {1, 1}},
                      Sums{"long windows", true, 2, 16, 256, 1, {400}, {65}, {1}},
                      Sums{"patches", true, 2, 16, 1024, 1, {8, 8}, {4, 4}, {4, 4}},
                      Sums{"very many channels", true, 1, 2, 300001, 1, {7}, {1}, {1}},
                      Sums{"very many channels of y", false, 1, 2, 300001, 1, {7}, {1}, {1}}));

}  // namespace
}  // namespace aclimb::convolution_backward
