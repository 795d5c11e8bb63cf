#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_grouped_matmul_v3.h"

// y[i] = x[i] @ weight[i] + bias[i]
namespace aclimb::grouped_matmul {

enum : int {
  kX,
  kWeight,
  kBias,
  kScale,
  kOffset,
  kAntiquantScale,
  kAntiquantOffset,
  kGroupList,
  kSplitItem,
  kGroupType,
  kY
};

inline constexpr contract::DTypeMask kOn310P = contract::DTypes(DType::kFloat16);
inline constexpr contract::ProductDTypes kFloats = {
    {kOn310P, 0, contract::kFloatDTypes, contract::kFloatDTypes, 0}};
inline constexpr contract::ProductDTypes kBiases = {
    {kOn310P, 0, contract::DTypes(DType::kFloat16, DType::kFloat32),
     contract::DTypes(DType::kFloat16, DType::kFloat32), 0}};

constexpr contract::Parameter Unused(const char* name) {
  return contract::Optional(contract::ListOf(contract::Input(name, {}, "not used")));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::ListOf(
        contract::WithRank(contract::Input("x", kFloats, "the left factors, [..., K]"), 2, 6)),
    contract::ListOf(
        contract::WithRank(contract::Input("weight", kFloats, "the right factors, [K, N]"), 2, 2)),
    contract::Optional(contract::ListOf(contract::WithRank(
        contract::Input("biasOptional", kBiases, "[N] each: is added to the rows of a product"), 1,
        1))),
    Unused("scaleOptional"),
    Unused("offsetOptional"),
    Unused("antiquantScaleOptional"),
    Unused("antiquantOffsetOptional"),
    contract::Optional(contract::Input("groupListOptional", {}, "not used")),
    contract::Attribute("splitItem", contract::Kind::kInteger,
                        "0 and 1: y has a tensor for each product"),
    contract::Attribute("groupType", contract::Kind::kInteger,
                        "-1: no dimension is divided into groups"),
    contract::ListOf(
        contract::WithRank(contract::Output("y", kFloats, "the products, [..., N]"), 2, 6)),
};

// ---- Rules

using Finding = std::optional<std::string>;

inline Finding Grouped(const contract::Arguments& arguments) {
  const int64_t split = arguments.Integer(kSplitItem), type = arguments.Integer(kGroupType);
  const bool given = arguments.Given(kGroupList);
  if ((split == 0 || split == 1) && type == -1 && !given) return std::nullopt;
  const std::string list =
      given ? Cat(".shape is ", contract::ShapeText(arguments.Tensor(kGroupList))) : " is null";
  return Cat("groupType is ", type, ", splitItem is ", split, " and groupListOptional", list,
             "; expected -1, 0 or 1, and null, since groups within a tensor are not implemented.");
}

inline Finding WrongBias(const contract::Arguments& arguments) {
  if (!arguments.Given(kBias)) return std::nullopt;
  const size_t products = arguments.ElementCount(kX), biases = arguments.ElementCount(kBias);
  if (biases != products) {
    const auto text = [](size_t count) { return Cat(count, count == 1 ? " tensor" : " tensors"); };
    return Cat("biasOptional has ", text(biases), " and x has ", text(products),
               "; expected equally many.");
  }
  const DType x = arguments.Tensor(kX, 0).dtype;
  const DType expected = x == DType::kFloat16 ? DType::kFloat16 : DType::kFloat32;
  for (size_t i = 0; i < biases; ++i) {
    const TensorDescriptor &bias = arguments.Tensor(kBias, i),
                           &weight = arguments.Tensor(kWeight, i);
    if (bias.dtype == expected && bias.shape[0] == weight.shape[1]) continue;
    return Cat("biasOptional[", i, "].dtype is ", NameOf(bias.dtype), ", its shape ",
               contract::ShapeText(bias), ", weight[", i, "].shape is ",
               contract::ShapeText(weight), " and x[", i, "].dtype is ", NameOf(x), "; expected ",
               NameOf(expected), " and [", weight.shape[1], "].");
  }
  return std::nullopt;
}

inline Finding WrongFactors(const contract::Arguments& arguments) {
  for (size_t i = 0; i < arguments.ElementCount(kX); ++i) {
    const TensorDescriptor &x = arguments.Tensor(kX, i), &weight = arguments.Tensor(kWeight, i);
    if (x.shape.back() == weight.shape[0]) continue;
    return Cat("x[", i, "].shape is ", contract::ShapeText(x), " and weight[", i, "].shape is ",
               contract::ShapeText(weight), "; expected [", x.shape.back(), ", N].");
  }
  return std::nullopt;
}

inline Finding WrongShape(const contract::Arguments& arguments) {
  for (size_t i = 0; i < arguments.ElementCount(kX); ++i) {
    const TensorDescriptor &x = arguments.Tensor(kX, i), &weight = arguments.Tensor(kWeight, i);
    std::vector<int64_t> expected = x.shape;
    expected.back() = weight.shape[1];
    const std::string at = Cat("[", i, "]");
    if (auto wrong =
            contract::OtherShape(Cat("y", at).c_str(), arguments.Tensor(kY, i), expected,
                                 Cat("x", at, ".shape ", contract::ShapeText(x), " and weight", at,
                                     ".shape ", contract::ShapeText(weight)))) {
      return wrong;
    }
  }
  return std::nullopt;
}

inline constexpr contract::Rule kRules[] = {
    contract::Count("count/x", kX, contract::Between(1, 128), "make several calls"),
    contract::Absent("absent/quantisation", "pass null, and convert the factors to floats", kScale,
                     kOffset, kAntiquantScale, kAntiquantOffset),
    contract::Custom("no-groups", &Grouped,
                     "groupType is -1, splitItem 0 or 1, and groupListOptional null",
                     "pass a tensor of x, weight and y for each product"),
    contract::SameDType("one-dtype/x", kX, kX, "convert the tensors of x to one dtype"),
    contract::SameDType("same-dtype/weight", kWeight, kX,
                        "pass as many tensors as x has, in their dtype"),
    contract::SameDType("same-dtype/y", kY, kX, "pass as many tensors as x has, in their dtype"),
    contract::Custom("factors", &WrongFactors,
                     "the last extent of a tensor of x is the first of its weight",
                     "transpose the weight by its strides"),
    contract::Custom(
        "bias", &WrongBias,
        "biasOptional has for each weight a tensor [N], FLOAT16 where x is, else FLOAT",
        "pass biases of that dtype and shape"),
    contract::Custom("shape/y", &WrongShape,
                     "a tensor of y has the shape of x, and N of weight for its last extent",
                     "allocate y with that shape"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnGroupedMatmulV3",
    .folder = "grouped_matmul_v3",
    .summary = "A grouped product: several products of matrices, each of tensors of its own.",
    .products = Bit(Product::kInference310P) | Bit(Product::kA2) | Bit(Product::kA3),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnGroupedMatmulV3GetWorkspaceSize)>(kContract));

}  // namespace aclimb::grouped_matmul
