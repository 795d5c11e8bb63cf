#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "aclimb/ops/convolution_backward/forward_contract.h"
#include "aclimb/ops/convolution_backward/truth.h"

namespace aclimb::convolution_backward::forward {

// What a convolution gives, and the sums of the absolute terms. It is what the gradient of the
// transposed one computes for its input.
struct Output {
  std::vector<double> values, magnitude;

  // An empty bias adds nothing.
  Output(Definition sums, const std::vector<int64_t>& input_shape,
         const std::vector<int64_t>& output_shape, const std::vector<double>& input,
         const std::vector<double>& weight, const std::vector<double>& bias) {
    sums.transposed = !sums.transposed;
    sums.input_shape = output_shape;
    sums.output_shape = input_shape;
    sums.wants_weight = false;
    sums.Compute(input, {}, weight);
    values = std::move(sums.grad_input);
    magnitude = std::move(sums.input_magnitude);
    const size_t places = values.size() / static_cast<size_t>(output_shape[0] * output_shape[1]);
    for (size_t i = 0; i < values.size() && !bias.empty(); ++i) {
      values[i] += bias[i / places % bias.size()];
      magnitude[i] += std::fabs(bias[i / places % bias.size()]);
    }
  }
};

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  if (call.ElementCount(kOutput) == 0) {
    return outputs.Set(kOutput, std::vector<double>(), std::vector<double>());
  }
  Output output(DefinitionOf(call, kAt), call.Shape(kInput), call.Shape(kOutput),
                call.Values(kInput), call.Values(kWeight),
                call.IsGiven(kBias) ? call.Values(kBias) : std::vector<double>());
  for (size_t i = 0; i < output.values.size(); ++i) {
    output.magnitude[i] =
        AllowedError(call.DTypeOf(kOutput), output.values[i], output.magnitude[i]);
  }
  outputs.Set(kOutput, output.values, std::move(output.magnitude));
}

}  // namespace aclimb::convolution_backward::forward
