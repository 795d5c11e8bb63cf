#include "aclimb/ops/convolution_backward/forward_rules.h"

#include "aclimb/core/text.h"

namespace aclimb::convolution_backward::forward {
namespace {

using contract::Arguments;

// What the weight should have for an input of so many channels.
std::string ExpectedChannels(int64_t channels, int64_t groups, bool transposed) {
  if (channels == 0) return "input.shape[1] above 0";
  if (transposed) return Cat("weight.shape[0] = input.shape[1] = ", channels);
  if (channels % groups != 0) {
    return Cat("groups that divide input.shape[1] = ", channels,
               ", and weight.shape[1] = input.shape[1] / groups");
  }
  return Cat("weight.shape[1] = input.shape[1] / groups = ", channels / groups);
}

}  // namespace

Finding WrongChannels(const Arguments& arguments) {
  const bool transposed = arguments.Bool(kTransposed);
  const int64_t groups = arguments.Integer(kGroups);
  const std::vector<int64_t>& weight = arguments.Tensor(kWeight).shape;
  const int64_t expected = transposed ? weight[0] : SaturatedProduct(weight[1], groups);
  // Sums of no terms: nothing tells what they should be.
  if (expected == arguments.Tensor(kInput).shape[1] && expected > 0) return std::nullopt;
  return Cat("input.shape is ", ShapeOf(arguments, kInput), ", weight.shape is ",
             ShapeOf(arguments, kWeight), ", groups is ", groups, " and transposed is ", transposed,
             "; expected ", ExpectedChannels(arguments.Tensor(kInput).shape[1], groups, transposed),
             ".");
}

Finding NothingToConvolve(const Arguments& arguments) {
  const auto is_empty = [&](int parameter) { return arguments.Tensor(parameter).IsEmpty(); };
  if (is_empty(kOutput) || !(is_empty(kInput) || is_empty(kWeight))) return std::nullopt;
  return Cat("input.shape is ", ShapeOf(arguments, kInput), ", weight.shape is ",
             ShapeOf(arguments, kWeight), " and output.shape is ", ShapeOf(arguments, kOutput),
             "; expected an input and a weight with elements.");
}

Finding WrongBias(const Arguments& arguments) {
  if (!arguments.Given(kBias)) return std::nullopt;
  const int64_t channels = OutputChannels(arguments, kAt);
  if (arguments.Tensor(kBias).shape[0] == channels) return std::nullopt;
  return Cat("bias.shape is ", ShapeOf(arguments, kBias), " but weight.shape is ",
             ShapeOf(arguments, kWeight), " and groups is ", arguments.Integer(kGroups),
             "; expected [", channels, "].");
}

Finding WrongOutputShape(const Arguments& arguments) {
  const std::vector<int64_t>& in = arguments.Tensor(kInput).shape;
  const std::vector<int64_t>& kernel = arguments.Tensor(kWeight).shape;
  const std::vector<int64_t>& out = arguments.Tensor(kOutput).shape;
  const Attributes a = AttributesOf(arguments, kAt);
  const bool transposed = arguments.Bool(kTransposed);
  std::vector<int64_t> expected = {in[0], OutputChannels(arguments, kAt)};
  for (size_t d = 0; d + 2 < in.size(); ++d) {
    // Transposed, the output is what windows slide over: a size that has as many of them as the
    // input has elements, of the possible ones the one that outputPadding says.
    if (transposed) {
      const int64_t padding = a.output_padding.size() == a.stride.size() ? a.output_padding[d] : 0;
      const int64_t windows = SaturatedProduct(in[d + 2] - 1, a.stride[d]);
      const int64_t window = SaturatedProduct(kernel[d + 2] - 1, a.dilation[d]);
      expected.push_back(windows - a.pad_begin[d] - a.pad_end[d] + window + padding + 1);
      if (expected.back() > 0) continue;
    } else if (const auto windows = WindowCount(in[d + 2], a.pad_begin[d], a.pad_end[d],
                                                kernel[d + 2], a.dilation[d], a.stride[d])) {
      expected.push_back(*windows);
      continue;
    }
    return Cat("input.shape is ", ShapeOf(arguments, kInput), ", weight.shape is ",
               ShapeOf(arguments, kWeight), ", padding is ", IntsOf(arguments, kPadding),
               " and dilation is ", IntsOf(arguments, kDilation),
               "; expected a window that fits into the padded input.");
  }
  if (out == expected) return std::nullopt;
  return Cat("output.shape is ", ShapeOf(arguments, kOutput), " but input.shape is ",
             ShapeOf(arguments, kInput), ", weight.shape is ", ShapeOf(arguments, kWeight),
             ", stride is ", IntsOf(arguments, kStride), ", padding is ",
             IntsOf(arguments, kPadding), ", dilation is ", IntsOf(arguments, kDilation),
             " and transposed is ", transposed, "; expected ",
             ShapeText(expected.data(), expected.size()), ".");
}

}  // namespace aclimb::convolution_backward::forward
