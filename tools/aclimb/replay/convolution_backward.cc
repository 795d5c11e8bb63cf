// aclnnConvolutionBackward, for a replay.

#include "aclimb/ops/convolution_backward/contract.h"
#include "aclimb/ops/convolution_backward/truth.h"
#include "tools/aclimb/replay/adapter.h"

namespace aclimb::convolution_backward {
namespace {

std::vector<cli::OutputTruth> TruthOf(const cli::Recording& recording) {
  const cli::RecordedArgument& input = recording.At(kInput);
  const cli::RecordedArgument& weight = recording.At(kWeight);
  Truth sums;
  sums.input_shape = input.shape;
  sums.weight_shape = weight.shape;
  sums.output_shape = recording.At(kGradOutput).shape;
  const auto ints = [&](int parameter) { return recording.At(parameter).integers; };
  const Attributes attributes = *Expand(static_cast<int>(input.shape.size()) - 2, ints(kStride),
                                        ints(kPadding), ints(kDilation), ints(kOutputPadding));
  sums.stride = attributes.stride;
  sums.dilation = attributes.dilation;
  sums.pad = attributes.pad_begin;
  sums.groups = recording.At(kGroups).integer;
  sums.transposed = recording.At(kTransposed).integer != 0;
  if (input.ElementCount() == 0 || weight.ElementCount() == 0) {
    // Nothing was convolved: the gradients are sums of no terms.
    sums.grad_weight.assign(recording.At(kGradWeight).ElementCount(), 0.0);
    sums.grad_bias.assign(recording.At(kGradBias).ElementCount(), 0.0);
    sums.weight_magnitude = sums.grad_weight;
    sums.bias_magnitude = sums.grad_bias;
  } else {
    sums.Compute(recording.Values(kGradOutput), recording.Values(kInput),
                 recording.Values(kWeight));
  }
  std::vector<cli::OutputTruth> truths;
  const auto add = [&](int parameter, const std::vector<double>& values,
                       std::vector<double> magnitude) {
    const cli::RecordedArgument& output = recording.At(parameter);
    if (!output.touched) return;
    for (size_t i = 0; i < values.size(); ++i) {
      magnitude[i] = AllowedError(output.dtype, values[i], magnitude[i]);
    }
    truths.push_back({parameter, values, std::move(magnitude)});
  };
  add(kGradInput, sums.grad_input, sums.input_magnitude);
  add(kGradWeight, sums.grad_weight, sums.weight_magnitude);
  add(kGradBias, sums.grad_bias, sums.bias_magnitude);
  return truths;
}

}  // namespace

extern const cli::Adapter kAdapter;
const cli::Adapter kAdapter = {
    &kContract, &cli::CallPhase1<decltype(aclnnConvolutionBackwardGetWorkspaceSize)>, &TruthOf};

}  // namespace aclimb::convolution_backward
