#include "aclimb/ops/convolution_backward/rules.h"

#include "aclimb/contract/contract.h"
#include "aclimb/core/text.h"

namespace aclimb::convolution_backward {
namespace {

using contract::Arguments;

bool Wanted(const Arguments& arguments, size_t output) {
  return arguments.Bools(kOutputMask)[output] != 0;
}

// "gradOutput.shape is [..], input.shape is [..], weight.shape is [..]"
std::string ThreeShapes(const Arguments& arguments) {
  return Cat("gradOutput.shape is ", ShapeOf(arguments, kGradOutput), ", input.shape is ",
             ShapeOf(arguments, kInput), ", weight.shape is ", ShapeOf(arguments, kWeight));
}

// FLOAT when one of the three is, or when the two half types meet.
bool ComputesInFloat(const Arguments& arguments) {
  const DType a = arguments.Tensor(kGradOutput).dtype, b = arguments.Tensor(kInput).dtype,
              c = arguments.Tensor(kWeight).dtype;
  return a == DType::kFloat32 || a != b || b != c;
}

}  // namespace

bool IsEmptyCase(const Arguments& arguments) {
  return arguments.Tensor(kInput).IsEmpty() || arguments.Tensor(kWeight).IsEmpty();
}

Finding WantedBiasSizesMissing(const Arguments& arguments) {
  if (!Wanted(arguments, 2) || arguments.Given(kBiasSizes) || IsEmptyCase(arguments)) {
    return std::nullopt;
  }
  return "biasSizes is null and outputMask[2] is true; expected an aclIntArray with the number of "
         "output channels.";
}

Finding CubeMathTypeOfAnotherProduct(const Arguments& arguments) {
  const int64_t type = arguments.Integer(kCubeMathType);
  if (!IsOldChip(arguments) || !ComputesInFloat(arguments) || type == 1 || type == 2) {
    return std::nullopt;
  }
  return Cat("cubeMathType is ", type, " and the tensors promote to FLOAT; expected 1 or 2 on ",
             NameOf(arguments.product()), ".");
}

Finding EmptyOnOldChip(const Arguments& arguments) {
  if (!IsOldChip(arguments) ||
      !(IsEmptyCase(arguments) || arguments.Tensor(kGradOutput).IsEmpty())) {
    return std::nullopt;
  }
  return Cat(ThreeShapes(arguments), "; expected no empty tensor on ", NameOf(arguments.product()),
             ".");
}

Finding WrongBiasSizesWhenEmpty(const Arguments& arguments) {
  if (!IsEmptyCase(arguments) || !Wanted(arguments, 2)) return std::nullopt;
  const int64_t groups = arguments.Integer(kGroups);
  const int64_t channels = arguments.Bool(kTransposed) ? OutputChannels(arguments, kAt)
                                                       : arguments.Tensor(kGradOutput).shape[1];
  if (arguments.Given(kBiasSizes) && arguments.Ints(kBiasSizes)[0] == channels) {
    return std::nullopt;
  }
  return Cat("biasSizes is ",
             arguments.Given(kBiasSizes) ? IntsOf(arguments, kBiasSizes) : std::string("null"),
             ", ", ThreeShapes(arguments), " and groups is ", groups, "; expected biasSizes [",
             channels, "], since a tensor is empty.");
}

Finding EmptyWithGradInput(const Arguments& arguments) {
  const TensorDescriptor& input = arguments.Tensor(kInput);
  if (!IsEmptyCase(arguments) || !Wanted(arguments, 0) || input.shape[0] == 0 ||
      input.shape[1] == 0) {
    return std::nullopt;
  }
  return Cat("gradInput.shape is ", ShapeOf(arguments, kGradInput), ", input.shape is ",
             ShapeOf(arguments, kInput), ", weight.shape is ", ShapeOf(arguments, kWeight),
             " and outputMask[0] is true; expected an input without images or without channels "
             "when a tensor is empty.");
}

Finding EmptyGradOutput(const Arguments& arguments) {
  if (IsEmptyCase(arguments) || !arguments.Tensor(kGradOutput).IsEmpty()) return std::nullopt;
  return Cat(ThreeShapes(arguments), "; expected a gradOutput with elements.");
}

Finding WrongBiasShape(const Arguments& arguments) {
  if (!arguments.Given(kGradBias) ||
      arguments.Tensor(kGradBias).shape[0] == arguments.Tensor(kGradOutput).shape[1]) {
    return std::nullopt;
  }
  // Where the weight agrees with gradBias it is gradOutput that differs: WrongChannels says so.
  if (!IsEmptyCase(arguments) &&
      OutputChannels(arguments, kAt) == arguments.Tensor(kGradBias).shape[0]) {
    return std::nullopt;
  }
  return Cat("gradBias.shape is ", ShapeOf(arguments, kGradBias), " but gradOutput.shape is ",
             ShapeOf(arguments, kGradOutput), "; expected gradBias.shape [",
             arguments.Tensor(kGradOutput).shape[1], "].");
}

Finding WrongChannels(const Arguments& arguments) {
  const bool transposed = arguments.Bool(kTransposed);
  const int64_t groups = arguments.Integer(kGroups);
  const int64_t in = arguments.Tensor(kInput).shape[1];
  const int64_t out = arguments.Tensor(kGradOutput).shape[1];
  const int64_t rows = arguments.Tensor(kWeight).shape[0];
  const int64_t columns = SaturatedProduct(arguments.Tensor(kWeight).shape[1], groups);
  const bool match = (transposed ? in : out) == rows && (transposed ? out : in) == columns;
  if (IsEmptyCase(arguments)) {
    const bool none =
        transposed ? arguments.Tensor(kInput).shape[0] == 0 && rows == in : in == 0 && out == 0;
    if ((match || none) && !(transposed && rows == 0)) return std::nullopt;
  } else if (match) {
    return std::nullopt;
  }
  const int64_t of_rows = transposed ? in : out, of_columns = transposed ? out : in;
  const char* const wide = transposed ? "gradOutput.shape[1]" : "input.shape[1]";
  return Cat(ThreeShapes(arguments), ", groups is ", groups, " and transposed is ", transposed,
             "; expected weight.shape[0] = ",
             transposed ? "input.shape[1] = " : "gradOutput.shape[1] = ", of_rows,
             " and weight.shape[1] = ", wide, " / groups",
             of_columns % groups == 0 ? Cat(" = ", of_columns / groups)
                                      : Cat(", but groups do not divide ", of_columns),
             ".");
}

Finding DifferentBatches(const Arguments& arguments) {
  if (IsEmptyCase(arguments) ||
      arguments.Tensor(kGradOutput).shape[0] == arguments.Tensor(kInput).shape[0]) {
    return std::nullopt;
  }
  return Cat("gradOutput.shape is ", ShapeOf(arguments, kGradOutput), " but input.shape is ",
             ShapeOf(arguments, kInput), "; expected equal first extents.");
}

Finding WrongSpatialSize(const Arguments& arguments) {
  const Attributes a = AttributesOf(arguments, kAt);
  const bool transposed = arguments.Bool(kTransposed);
  const bool empty = IsEmptyCase(arguments);
  if (empty && transposed) return std::nullopt;
  const std::vector<int64_t>& wide = arguments.Tensor(transposed ? kGradOutput : kInput).shape;
  const std::vector<int64_t>& narrow = arguments.Tensor(transposed ? kInput : kGradOutput).shape;
  const std::vector<int64_t>& kernel = arguments.Tensor(kWeight).shape;
  for (size_t d = 0; d + 2 < wide.size(); ++d) {
    const std::optional<int64_t> windows = WindowCount(wide[d + 2], a.pad_begin[d], a.pad_end[d],
                                                       kernel[d + 2], a.dilation[d], a.stride[d]);
    if (windows && (empty || *windows == narrow[d + 2])) continue;
    const char* wide_name = transposed ? "gradOutput" : "input";
    const char* narrow_name = transposed ? "input" : "gradOutput";
    return Cat(ThreeShapes(arguments), ", stride is ", IntsOf(arguments, kStride), ", padding is ",
               IntsOf(arguments, kPadding), ", dilation is ", IntsOf(arguments, kDilation),
               " and transposed is ", transposed,
               windows ? Cat("; expected ", narrow_name, ".shape[", d + 2, "] = ", *windows, ".")
                       : Cat("; expected a window that fits into the padded ", wide_name, ".shape[",
                             d + 2, "]."));
  }
  return std::nullopt;
}

}  // namespace aclimb::convolution_backward
