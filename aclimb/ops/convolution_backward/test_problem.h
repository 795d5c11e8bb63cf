#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/ops/convolution_backward/contract.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/truth.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"

// A whole problem for the tests of the C interface: run it, and hold the results against the truth.
namespace aclimb::convolution_backward {

struct Problem {
  std::vector<int64_t> grad_output, input, weight;  // shapes
  std::vector<int64_t> stride, padding, dilation, output_padding;
  int groups = 1;
  bool transposed = false;
  bool mask[3] = {true, true, true};
  int8_t cube_math_type = 0;
  DType dtypes[3] = {DType::kFloat32, DType::kFloat32,
                     DType::kFloat32};  // gradOutput, input, weight

  void Dtype(DType dtype) { dtypes[0] = dtypes[1] = dtypes[2] = dtype; }
};

// The shape of gradOutput from everything else, for problems made by hand or at random.
inline void InferGradOutput(Problem& p) {
  const int dims = static_cast<int>(p.input.size()) - 2;
  const Attributes a = *Expand(dims, p.stride, p.padding, p.dilation, p.output_padding);
  p.grad_output = {p.input[0], p.transposed ? p.weight[1] * p.groups : p.weight[0]};
  for (size_t d = 0; d < static_cast<size_t>(dims); ++d) {
    const int64_t in = p.input[d + 2], k = p.weight[d + 2];
    p.grad_output.push_back(
        p.transposed ? (in - 1) * a.stride[d] - a.pad_begin[d] - a.pad_end[d] +
                           a.dilation[d] * (k - 1) + 1 + a.output_padding[d]
                     : WindowCount(in, a.pad_begin[d], a.pad_end[d], k, a.dilation[d], a.stride[d])
                           .value_or(0));
  }
}

inline int64_t Count(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

using Options = aclimb::testing::DeviceTensor::Options;

// The tensors of a problem on the device, with random or given values.
struct Tensors {
  std::unique_ptr<aclimb::testing::DeviceTensor> grad_output, input, weight;
  std::unique_ptr<aclimb::testing::DeviceTensor> grad_input, grad_weight, grad_bias;

  struct Views {
    Options grad_output = {}, input = {}, weight = {}, grad_input = {}, grad_weight = {};
  };

  Tensors(const Problem& p, const std::vector<double>& g, const std::vector<double>& x,
          const std::vector<double>& w)
      : Tensors(p, g, x, w, Views{}) {}
  Tensors(const Problem& p, const std::vector<double>& g, const std::vector<double>& x,
          const std::vector<double>& w, const Views& views) {
    using T = aclimb::testing::DeviceTensor;
    grad_output = std::make_unique<T>(p.grad_output, p.dtypes[0], g, views.grad_output);
    input = std::make_unique<T>(p.input, p.dtypes[1], x, views.input);
    weight = std::make_unique<T>(p.weight, p.dtypes[2], w, views.weight);
    grad_input = std::make_unique<T>(p.input, p.dtypes[1], std::vector<double>(), views.grad_input);
    grad_weight =
        std::make_unique<T>(p.weight, p.dtypes[2], std::vector<double>(), views.grad_weight);
    grad_bias = std::make_unique<T>(std::vector<int64_t>{p.grad_output[1]}, p.dtypes[0]);
  }
  Tensors(const Problem& p, aclimb::testing::Random& random) : Tensors(p, random, Views{}) {}
  Tensors(const Problem& p, aclimb::testing::Random& random, const Views& views)
      : Tensors(p, random.Reals(Count(p.grad_output), -1, 1), random.Reals(Count(p.input), -1, 1),
                random.Reals(Count(p.weight), -1, 1), views) {}
};

inline int Phase1Of(const Problem& p, const Tensors& t, uint64_t* size, aclOpExecutor** executor) {
  using aclimb::testing::IntArray;
  const IntArray bias_sizes({p.grad_output[1]}), stride(p.stride), padding(p.padding),
      dilation(p.dilation), output_padding(p.output_padding);
  const aclimb::testing::BoolArray mask({p.mask[0], p.mask[1], p.mask[2]});
  return aclnnConvolutionBackwardGetWorkspaceSize(
      *t.grad_output, *t.input, *t.weight, bias_sizes, stride, padding, dilation, p.transposed,
      output_padding, p.groups, mask, p.cube_math_type, *t.grad_input, *t.grad_weight, *t.grad_bias,
      size, executor);
}

inline int RunProblem(const Problem& p, const Tensors& t, aclrtStream stream) {
  return aclimb::testing::RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) { return Phase1Of(p, t, size, executor); },
      &aclnnConvolutionBackward, stream);
}

inline ::testing::AssertionResult NearTruth(const char* name,
                                            const aclimb::testing::DeviceTensor& got,
                                            const std::vector<double>& expected,
                                            const std::vector<double>& magnitude, DType dtype) {
  const std::vector<double> values = got.Values();
  if (values.size() != expected.size()) return ::testing::AssertionFailure() << name << ": size";
  for (size_t i = 0; i < values.size(); ++i) {
    const double e = aclimb::testing::Rounded(expected[i], dtype);
    if (std::isnan(e) ? std::isnan(values[i]) : values[i] == e) continue;
    const double limit = AllowedError(dtype, expected[i], magnitude[i]);
    if (!std::isinf(expected[i]) && std::fabs(values[i] - expected[i]) <= limit) continue;
    return ::testing::AssertionFailure() << name << "[" << i << "] is " << values[i]
                                         << ", expected " << expected[i] << " within " << limit;
  }
  return ::testing::AssertionSuccess();
}

// Truth of what the device holds (views may overlap), for the wanted outputs; the others must still
// hold their poison.
inline ::testing::AssertionResult MeetsTruth(const Problem& p, const Tensors& t) {
  Definition truth;
  truth.input_shape = p.input;
  truth.weight_shape = p.weight;
  truth.output_shape = p.grad_output;
  const Attributes a = *Expand(static_cast<int>(p.input.size()) - 2, p.stride, p.padding,
                               p.dilation, p.output_padding);
  truth.stride = a.stride;
  truth.dilation = a.dilation;
  truth.pad = a.pad_begin;
  truth.groups = p.groups;
  truth.transposed = p.transposed;
  truth.Compute(t.grad_output->Values(), t.input->Values(), t.weight->Values());
  if (p.mask[0]) {
    auto good =
        NearTruth("gradInput", *t.grad_input, truth.grad_input, truth.input_magnitude, p.dtypes[1]);
    if (!good) return good;
  }
  if (p.mask[1]) {
    auto good = NearTruth("gradWeight", *t.grad_weight, truth.grad_weight, truth.weight_magnitude,
                          p.dtypes[2]);
    if (!good) return good;
  }
  if (p.mask[2]) {
    auto good =
        NearTruth("gradBias", *t.grad_bias, truth.grad_bias, truth.bias_magnitude, p.dtypes[0]);
    if (!good) return good;
  }
  if ((!p.mask[0] && !t.grad_input->Untouched()) || (!p.mask[1] && !t.grad_weight->Untouched()) ||
      (!p.mask[2] && !t.grad_bias->Untouched())) {
    return ::testing::AssertionFailure() << "an output that was not asked for was written";
  }
  if (!t.grad_input->SurroundingsIntact() || !t.grad_weight->SurroundingsIntact() ||
      !t.grad_bias->SurroundingsIntact()) {
    return ::testing::AssertionFailure() << "memory around an output was written";
  }
  return ::testing::AssertionSuccess();
}

}  // namespace aclimb::convolution_backward
