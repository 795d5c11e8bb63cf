#include "aclimb/ops/products/rules.h"

#include <algorithm>
#include <utility>

#include "aclimb/contract/broadcast.h"
#include "aclimb/contract/promotion.h"
#include "aclimb/contract/told.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/products/contracts.h"

namespace aclimb::products {
namespace {

using contract::Arguments;

DType PromotedOf(const Arguments& arguments, const NamedTensor (&inputs)[3]) {
  DType promoted = arguments.Tensor(inputs[0].parameter).dtype;
  for (const NamedTensor& each : inputs) {
    if (each.name == nullptr) continue;
    // All that the contracts accept have a dtype in common.
    promoted = contract::PromoteTensors(promoted, arguments.Tensor(each.parameter).dtype)
                   .value_or(promoted);
  }
  return promoted;
}

std::string DTypesText(const Arguments& arguments, const NamedTensor (&inputs)[3]) {
  std::string text;
  for (const NamedTensor& each : inputs) {
    if (each.name == nullptr) continue;
    text += Cat(text.empty() ? "" : ", ",
                contract::DTypeTold(each.name, arguments.Tensor(each.parameter)));
  }
  return text;
}

DType AddmvDTypeOf(const Arguments& arguments) {
  const DType tensors[3] = {arguments.Tensor(kAddmvSelf).dtype, arguments.Tensor(kMat).dtype,
                            arguments.Tensor(kVec).dtype};
  const DType scalars[2] = {arguments.Scalar(kAddmvAlpha).dtype,
                            arguments.Scalar(kAddmvBeta).dtype};
  return AddmvDType(tensors, scalars);
}

constexpr NamedTensor kAddmvTensors[3] = {{kAddmvSelf, "self"}, {kMat, "mat"}, {kVec, "vec"}};

std::string TextOf(const Dims& shape) { return ShapeText(shape.data(), shape.size()); }

std::string FactorsText(const Arguments& arguments) {
  return Cat(contract::ShapeTold("self", arguments.Tensor(kSelf)), " and ",
             contract::ShapeTold("mat2", arguments.Tensor(kMat2)));
}

// "self.shape[1], which is 3, and mat2.shape[0], which is 4,"
std::string DimensionsText(const Dims& self, size_t of_self, const Dims& mat2, size_t of_mat2) {
  return Cat("self.shape[", of_self, "], which is ", self[of_self], ", and mat2.shape[", of_mat2,
             "], which is ", mat2[of_mat2], ",");
}

Dims TransposedDims(Dims shape) {
  if (shape.size() > 1) std::swap(shape.back(), shape[shape.size() - 2]);
  return shape;
}

}  // namespace

std::optional<Dims> MatmulShape(const Dims& first, const Dims& second) {
  if (first.empty() || second.empty()) return std::nullopt;
  const int64_t terms = second.size() == 1 ? second[0] : second[second.size() - 2];
  if (first.back() != terms) return std::nullopt;
  const auto batch = [](const Dims& shape) {
    return shape.size() < 2 ? Dims() : Dims(shape.begin(), shape.end() - 2);
  };
  std::optional<Dims> shape = contract::BroadcastShape(batch(first), batch(second));
  if (!shape) return std::nullopt;
  if (first.size() > 1) shape->push_back(first[first.size() - 2]);
  if (second.size() > 1) shape->push_back(second.back());
  return shape;
}

Finding WrongResultDType(const Arguments& arguments, const NamedTensor (&inputs)[3],
                         const NamedTensor& out) {
  const DType promoted = PromotedOf(arguments, inputs);
  const DType got = arguments.Tensor(out.parameter).dtype;
  if (got == promoted || (promoted == DType::kFloat16 && got == DType::kFloat32)) {
    return std::nullopt;
  }
  return Cat(contract::DTypeTold(out.name, arguments.Tensor(out.parameter)), " but ",
             DTypesText(arguments, inputs), "; expected ", NameOf(promoted),
             promoted == DType::kFloat16 ? " or FLOAT." : ".");
}

Finding CubeMathTypeOfAnotherProduct(const Arguments& arguments, const NamedTensor (&inputs)[3],
                                     int cube_math_type) {
  const int64_t type = arguments.Integer(cube_math_type);
  const bool old_chip = arguments.product() == Product::kInference310P ||
                        arguments.product() == Product::kTraining910;
  if (!old_chip || type == 1 || type == 2 || PromotedOf(arguments, inputs) != DType::kFloat32) {
    return std::nullopt;
  }
  return Cat("cubeMathType is ", type, " and ", DTypesText(arguments, inputs),
             "; expected 1 or 2 where the tensors promote to FLOAT on ",
             NameOf(arguments.product()), ".");
}

Finding WrongMatmulFactors(const Arguments& arguments) {
  const Dims& self = arguments.Tensor(kSelf).shape;
  const Dims& mat2 = arguments.Tensor(kMat2).shape;
  if (MatmulShape(self, mat2)) return std::nullopt;
  const std::string factors = FactorsText(arguments);
  const size_t columns = self.size() - 1, rows = mat2.size() == 1 ? 0 : mat2.size() - 2;
  if (self[columns] != mat2[rows]) {
    return Cat(factors, "; expected ", DimensionsText(self, columns, mat2, rows), " to be equal",
               MatmulShape(self, TransposedDims(mat2))   ? ", as with mat2 transposed"
               : MatmulShape(TransposedDims(self), mat2) ? ", as with self transposed"
                                                         : "",
               ".");
  }
  // What stands before the matrices, from the end on.
  for (size_t i = 3;; ++i) {
    const size_t of_self = self.size() - i, of_mat2 = mat2.size() - i;
    if (self[of_self] == mat2[of_mat2] || self[of_self] == 1 || mat2[of_mat2] == 1) continue;
    return Cat(factors, "; expected ", DimensionsText(self, of_self, mat2, of_mat2),
               " to be equal, or one of them 1.");
  }
}

Finding WrongMatmulShapes(const Arguments& arguments) {
  const Dims& self = arguments.Tensor(kSelf).shape;
  const Dims& mat2 = arguments.Tensor(kMat2).shape;
  const Dims& out = arguments.Tensor(kOut).shape;
  const std::optional<Dims> shape = MatmulShape(self, mat2);
  // WrongMatmulFactors has told.
  if (!shape) return std::nullopt;
  if (out == *shape || (shape->empty() && out == Dims{1})) return std::nullopt;
  return Cat(contract::ShapeTold("out", arguments.Tensor(kOut)), " but ", FactorsText(arguments),
             "; expected ", TextOf(*shape), ".");
}

Finding WrongSumOfBatches(const Arguments& arguments) {
  const TensorDescriptor &self = arguments.Tensor(kAddend), &out = arguments.Tensor(kSum);
  const TensorDescriptor &batch1 = arguments.Tensor(kFirst), &batch2 = arguments.Tensor(kSecond);
  const std::optional<Dims> product = MatmulShape(batch1.shape, batch2.shape);
  // The patterns say that the factors go together.
  if (!product) return std::nullopt;
  const std::optional<Dims> shape = contract::BroadcastShape(self.shape, *product);
  if (shape && *shape == out.shape) return std::nullopt;
  const std::string inputs =
      Cat(contract::ShapeTold("self", self), ", ", contract::ShapeTold("batch1", batch1), " and ",
          contract::ShapeTold("batch2", batch2));
  if (!shape) {
    return Cat(inputs, "; expected a self that broadcasts with the products, which are ",
               TextOf(*product), ".");
  }
  return Cat(contract::ShapeTold("out", out), " but ", inputs, "; expected ", TextOf(*shape), ".");
}

DType AddmvDType(const DType (&tensors)[3], const DType (&scalars)[2]) {
  DType promoted = tensors[0];
  for (const DType dtype : tensors) {
    promoted = contract::PromoteTensors(promoted, dtype).value_or(promoted);
  }
  for (const DType dtype : scalars) {
    promoted = contract::PromoteTensorAndScalar(promoted, dtype).value_or(promoted);
  }
  return promoted;
}

Finding WrongAddmvDType(const Arguments& arguments) {
  const DType promoted = AddmvDTypeOf(arguments);
  const TensorDescriptor& out = arguments.Tensor(kAddmvOut);
  if (out.dtype == promoted) return std::nullopt;
  return Cat(contract::DTypeTold("out", out), " but ", DTypesText(arguments, kAddmvTensors),
             ", alpha.dtype is ", NameOf(arguments.Scalar(kAddmvAlpha).dtype), ", beta.dtype is ",
             NameOf(arguments.Scalar(kAddmvBeta).dtype), "; expected ", NameOf(promoted), ".");
}

Finding WrongAddmvMathType(const Arguments& arguments) {
  return CubeMathTypeOfAnotherProduct(arguments, kAddmvTensors, kAddmvMathType);
}

Finding AddmvBroadcastsToNothing(const Arguments& arguments) {
  const Dims& self = arguments.Tensor(kAddmvSelf).shape;
  const Dims& out = arguments.Tensor(kAddmvOut).shape;
  if (arguments.Scalar(kAddmvAlpha).ToDouble() != 0 || self == out) return std::nullopt;
  return Cat("alpha is ", arguments.Scalar(kAddmvAlpha).Text(), ", self.shape is ", TextOf(self),
             " and out.shape is ", TextOf(out), "; expected equal shapes when alpha is 0.");
}

}  // namespace aclimb::products
