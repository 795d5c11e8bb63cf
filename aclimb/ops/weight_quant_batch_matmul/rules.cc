#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/weight_quant_batch_matmul/contract.h"

namespace aclimb::weight_quant_batch_matmul {
namespace {

using contract::Arguments;

std::string ShapeOf(const Arguments& arguments, int parameter) {
  const std::vector<int64_t>& shape = arguments.Tensor(parameter).shape;
  return ShapeText(shape.data(), shape.size());
}

}  // namespace

Finding WrongBiasDType(const Arguments& arguments) {
  if (!arguments.Given(kBias)) return std::nullopt;
  const DType x = arguments.Tensor(kX).dtype, bias = arguments.Tensor(kBias).dtype;
  const DType expected = x == DType::kBFloat16 ? DType::kFloat32 : DType::kFloat16;
  if (bias == expected) return std::nullopt;
  return Cat("biasOptional.dtype is ", NameOf(bias), " and x.dtype is ", NameOf(x), "; expected ",
             NameOf(expected), ".");
}

Finding WrongGroupSize(const Arguments& arguments) {
  const int64_t group = arguments.Integer(kGroupSize), terms = arguments.Tensor(kWeight).shape[0];
  if (group == 0) return std::nullopt;
  if (arguments.product() == Product::kInference310P) {
    return Cat("antiquantGroupSize is ", group, "; expected 0 on ", NameOf(arguments.product()),
               ".");
  }
  if (group > 0 && group % 32 == 0 && group < terms) return std::nullopt;
  return Cat("antiquantGroupSize is ", group, " and weight.shape is ", ShapeOf(arguments, kWeight),
             "; expected 0, or a multiple of 32 below ", terms, ".");
}

Finding WrongScaleShape(const Arguments& arguments) {
  const std::vector<int64_t>& scale = arguments.Tensor(kScale).shape;
  const std::vector<int64_t>& weight = arguments.Tensor(kWeight).shape;
  const int64_t group = arguments.Integer(kGroupSize), columns = weight[1];
  using Dims = std::vector<int64_t>;
  const std::string given =
      Cat("antiquantScale.shape is ", ShapeOf(arguments, kScale), ", antiquantGroupSize is ", group,
          " and weight.shape is ", ShapeOf(arguments, kWeight), "; expected ");
  if (group == 0) {
    if (scale == Dims{1} || scale == Dims{columns} || scale == Dims{1, columns}) {
      return std::nullopt;
    }
    return Cat(given, "[1], [", columns, "] or [1, ", columns, "].");
  }
  const int64_t groups = CeilDivide(weight[0], group);
  if (scale == Dims{groups, columns}) return std::nullopt;
  return Cat(given, "[", groups, ", ", columns, "].");
}

Finding WrongBiasShape(const Arguments& arguments) {
  if (!arguments.Given(kBias)) return std::nullopt;
  const std::vector<int64_t>& bias = arguments.Tensor(kBias).shape;
  const int64_t columns = arguments.Tensor(kWeight).shape[1];
  if (bias.back() == columns && (bias.size() == 1 || bias[0] == 1)) return std::nullopt;
  return Cat("biasOptional.shape is ", ShapeOf(arguments, kBias), " and weight.shape is ",
             ShapeOf(arguments, kWeight), "; expected [", columns, "] or [1, ", columns, "].");
}

}  // namespace aclimb::weight_quant_batch_matmul
