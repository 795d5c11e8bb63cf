#pragma once

#include <gtest/gtest.h>

#include <cmath>
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
  int8_t cube_math_type = 0;
  DType dtype = DType::kFloat32;
};

// The shape of gradOutput from everything else.
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

// Tensors of a problem as a program passes them; a gradient that is null is not wanted.
struct Handles {
  const aclTensor *grad_output, *input, *weight;
  aclTensor *grad_input, *grad_weight, *grad_bias;
};

inline int Phase1Of(const Problem& p, const Handles& t, uint64_t* size, aclOpExecutor** executor) {
  using aclimb::testing::IntArray;
  const IntArray bias_sizes({p.grad_output[1]}), stride(p.stride), padding(p.padding),
      dilation(p.dilation), output_padding(p.output_padding);
  const aclimb::testing::BoolArray mask(
      {t.grad_input != nullptr, t.grad_weight != nullptr, t.grad_bias != nullptr});
  return aclnnConvolutionBackwardGetWorkspaceSize(
      t.grad_output, t.input, t.weight, bias_sizes, stride, padding, dilation, p.transposed,
      output_padding, p.groups, mask, p.cube_math_type, t.grad_input, t.grad_weight, t.grad_bias,
      size, executor);
}

inline int RunProblem(const Problem& p, const Handles& t, aclrtStream stream) {
  return aclimb::testing::RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) { return Phase1Of(p, t, size, executor); },
      &aclnnConvolutionBackward, stream);
}

// The tensors of a problem on the device, with random or given values.
struct Tensors {
  aclimb::testing::DeviceTensor grad_output, input, weight, grad_input, grad_weight, grad_bias;

  Tensors(const Problem& p, const std::vector<double>& g, const std::vector<double>& x,
          const std::vector<double>& w)
      : grad_output(p.grad_output, p.dtype, g),
        input(p.input, p.dtype, x),
        weight(p.weight, p.dtype, w),
        grad_input(p.input, p.dtype),
        grad_weight(p.weight, p.dtype),
        grad_bias({p.grad_output[1]}, p.dtype) {}
  Tensors(const Problem& p, aclimb::testing::Random& random)
      : Tensors(p, random.Reals(Count(p.grad_output), -1, 1), random.Reals(Count(p.input), -1, 1),
                random.Reals(Count(p.weight), -1, 1)) {}

  operator Handles() const {  // NOLINT: as a program passes them
    return {grad_output, input, weight, grad_input, grad_weight, grad_bias};
  }
};

// What the gradients of the tensors' values are.
inline Definition TruthOf(const Problem& p, const Tensors& t) {
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
  truth.Compute(t.grad_output.Values(), t.input.Values(), t.weight.Values());
  return truth;
}

inline ::testing::AssertionResult Meets(const char* name,
                                        const aclimb::testing::DeviceTensor& tensor, DType dtype,
                                        const std::vector<double>& expected,
                                        const std::vector<double>& magnitude) {
  const std::vector<double> got = tensor.Values();
  for (size_t i = 0; i < expected.size(); ++i) {
    const double e = aclimb::testing::Rounded(expected[i], dtype);
    if (std::isnan(e) ? std::isnan(got[i]) : got[i] == e) continue;
    const double limit = AllowedError(dtype, expected[i], magnitude[i]);
    if (!std::isinf(expected[i]) && std::fabs(got[i] - expected[i]) <= limit) continue;
    return ::testing::AssertionFailure() << name << "[" << i << "] is " << got[i] << ", expected "
                                         << expected[i] << " within " << limit;
  }
  if (!tensor.SurroundingsIntact()) {
    return ::testing::AssertionFailure() << "memory around " << name << " was written";
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult Meets(const Definition& truth, const Problem& p,
                                        const Tensors& t) {
  const struct {
    const char* name;
    const aclimb::testing::DeviceTensor& tensor;
    const std::vector<double>&expected, &magnitude;
  } results[] = {{"gradInput", t.grad_input, truth.grad_input, truth.input_magnitude},
                 {"gradWeight", t.grad_weight, truth.grad_weight, truth.weight_magnitude},
                 {"gradBias", t.grad_bias, truth.grad_bias, truth.bias_magnitude}};
  for (const auto& [name, tensor, expected, magnitude] : results) {
    const auto met = Meets(name, tensor, p.dtype, expected, magnitude);
    if (!met) return met;
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult MeetsTruth(const Problem& p, const Tensors& t) {
  return Meets(TruthOf(p, t), p, t);
}

}  // namespace aclimb::convolution_backward
