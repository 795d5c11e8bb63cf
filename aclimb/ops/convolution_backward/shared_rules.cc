#include "aclimb/ops/convolution_backward/shared_rules.h"

#include "aclimb/contract/contract.h"
#include "aclimb/core/text.h"

namespace aclimb::convolution_backward {

using contract::Arguments;

std::string ShapeOf(const Arguments& arguments, int parameter) {
  const TensorDescriptor& tensor = arguments.Tensor(parameter);
  return ShapeText(tensor.shape.data(), tensor.shape.size());
}

std::string IntsOf(const Arguments& arguments, int parameter) {
  const IntArrayValue& values = arguments.Ints(parameter);
  return ShapeText(values.data(), values.size());
}

bool IsOldChip(const Arguments& arguments) {
  return arguments.product() == Product::kInference310P ||
         arguments.product() == Product::kTraining910;
}

int64_t OutputChannels(const Arguments& arguments, const Positions& at) {
  const std::vector<int64_t>& weight = arguments.Tensor(at.weight).shape;
  return arguments.Bool(at.transposed) ? SaturatedProduct(weight[1], arguments.Integer(at.groups))
                                       : weight[0];
}

Attributes AttributesOf(const Arguments& arguments, const Positions& at) {
  return *Expand(arguments.Tensor(at.input).rank() - 2, arguments.Ints(at.stride),
                 arguments.Ints(at.padding), arguments.Ints(at.dilation),
                 arguments.Ints(at.output_padding));
}

Geometry GeometryOf(const Arguments& arguments, const Positions& at, int x, int y) {
  return MakeGeometry(arguments.Tensor(x).shape, arguments.Tensor(y).shape,
                      arguments.Tensor(at.weight).shape, arguments.Integer(at.groups),
                      AttributesOf(arguments, at));
}

Finding FormatOfAnotherRank(const Arguments& arguments, const Positions& at) {
  constexpr int kFormatOfRank[] = {contract::kNcl, contract::kNchw, contract::kNcdhw};
  for (const Positions::Named& each : at.tensors) {
    if (each.name == nullptr) continue;
    const TensorDescriptor* tensor = arguments.TensorOrNull(each.parameter);
    if (tensor == nullptr || tensor->format == contract::kNd) continue;
    const int expected = kFormatOfRank[tensor->rank() - 3];
    if (tensor->format == expected) continue;
    return Cat(each.name, ".format is ", contract::FormatText(tensor->format), " but ", each.name,
               ".shape is ", ShapeOf(arguments, each.parameter), "; expected ",
               contract::FormatText(expected), " or ND for rank ", tensor->rank(), ".");
  }
  return std::nullopt;
}

Finding ThreeDimensionsOnOldChip(const Arguments& arguments, const Positions& at) {
  if (!IsOldChip(arguments) || arguments.Tensor(at.input).rank() < 5) return std::nullopt;
  return Cat("input.shape is ", ShapeOf(arguments, at.input), "; expected rank 3 or 4 on ",
             NameOf(arguments.product()), ".");
}

Finding WrongLength(const Arguments& arguments, const Positions& at) {
  const int dims = arguments.Tensor(at.input).rank() - 2;
  std::string wrong;
  if (Expand(dims, arguments.Ints(at.stride), arguments.Ints(at.padding),
             arguments.Ints(at.dilation), arguments.Ints(at.output_padding), &wrong)) {
    return std::nullopt;
  }
  const int parameter = wrong == "stride"     ? at.stride
                        : wrong == "padding"  ? at.padding
                        : wrong == "dilation" ? at.dilation
                                              : at.output_padding;
  const bool may_have_four =
      dims == 2 && (parameter == at.padding || parameter == at.output_padding);
  return Cat(wrong, " is ", IntsOf(arguments, parameter), " but input.shape is ",
             ShapeOf(arguments, at.input), "; expected ",
             dims == 1 ? "" : Cat(dims, " entries or "), dims == 1 ? "1 entry" : "1",
             may_have_four ? ", or 4." : ".");
}

Finding WrongOutputPadding(const Arguments& arguments, const Positions& at) {
  const Attributes attributes = AttributesOf(arguments, at);
  const bool transposed = arguments.Bool(at.transposed);
  const size_t count = attributes.output_padding.size();
  for (size_t i = 0; i < count; ++i) {
    // Four entries are two for each dimension.
    const int64_t stride = attributes.stride[count == attributes.stride.size() ? i : i / 2];
    const int64_t value = attributes.output_padding[i];
    if (transposed ? value >= 0 && value < stride : value == 0) continue;
    return Cat("outputPadding is ", IntsOf(arguments, at.output_padding), ", stride is ",
               IntsOf(arguments, at.stride), " and transposed is ", transposed,
               transposed ? "; expected numbers in [0, stride)." : "; expected zeros.");
  }
  return std::nullopt;
}

Finding GroupsDoNotDivide(const Arguments& arguments, const Positions& at) {
  const int64_t groups = arguments.Integer(at.groups);
  if (arguments.Tensor(at.weight).shape[0] % groups == 0) return std::nullopt;
  return Cat("groups is ", groups, " but weight.shape is ", ShapeOf(arguments, at.weight),
             "; expected groups to divide weight.shape[0].");
}

}  // namespace aclimb::convolution_backward
