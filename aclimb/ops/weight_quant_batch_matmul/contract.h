#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v3.h"

// y = x @ ((weight + antiquantOffset) * antiquantScale) + bias
namespace aclimb::weight_quant_batch_matmul {

// Parameter positions. In the third version innerPrecise stands before y.
enum : int {
  kX,
  kWeight,
  kScale,
  kOffset,
  kQuantScale,
  kQuantOffset,
  kBias,
  kGroupSize,
  kY,
  kInnerPrecise = kY,
  kYOfV3
};

// The chips that have an inference engine for 16-bit floats; the oldest of them knows no BFLOAT16
// and no INT4.
constexpr contract::ProductDTypes OnChips(contract::DTypeMask on_310p, contract::DTypeMask on_new) {
  return {{on_310p, 0, on_new, on_new, 0}};
}
inline constexpr auto kFloats =
    OnChips(contract::DTypes(DType::kFloat16), contract::DTypes(DType::kFloat16, DType::kBFloat16));
inline constexpr auto kCodes =
    OnChips(contract::DTypes(DType::kInt8), contract::DTypes(DType::kInt8, DType::kInt4));
inline constexpr auto kBiases =
    OnChips(contract::DTypes(DType::kFloat16), contract::DTypes(DType::kFloat16, DType::kFloat32));

// A weight that was prepared for the chip's matrix unit carries the format FRACTAL_NZ. Nothing here
// brings data into another order.
inline constexpr contract::FormatMask kWeightFormats =
    contract::kPlainFormats | contract::Formats(29);

// clang-format off
#define ACLIMB_WEIGHT_QUANT_INPUTS                                                             \
  contract::WithShape(contract::Input("x", kFloats, "the left factor"), "M K"),                 \
  contract::WithFormats(                                                                        \
      contract::WithShape(                                                                      \
          contract::Input("weight", kCodes,                                                     \
                          "the right factor's integers; the format FRACTAL_NZ counts as ND"),   \
          "K N"),                                                                               \
      kWeightFormats),                                                                          \
  contract::WithRank(contract::Input("antiquantScale", kFloats,                                 \
                                     "[1], [N], [1, N], or of groups of a column [G, N]"),      \
                     1, 2),                                                                     \
  contract::Optional(contract::WithRank(                                                        \
      contract::Input("antiquantOffsetOptional", kFloats,                                       \
                      "shape of antiquantScale; is added before that is multiplied"),           \
      1, 2)),                                                                                   \
  contract::Optional(contract::Input("quantScaleOptional", {}, "not used")),                    \
  contract::Optional(contract::Input("quantOffsetOptional", {}, "not used")),                   \
  contract::Optional(contract::WithRank(                                                        \
      contract::Input("biasOptional", kBiases, "[N] or [1, N]: is added to each row"), 1, 2)),  \
  contract::Attribute("antiquantGroupSize", contract::Kind::kInteger,                           \
                      "how many elements of a column have one scale; 0: all of them")
#define ACLIMB_WEIGHT_QUANT_OUTPUT \
  contract::WithShape(contract::Output("y", kFloats, "the product"), "M N")
// clang-format on

inline constexpr contract::Parameter kParametersOfV2[] = {ACLIMB_WEIGHT_QUANT_INPUTS,
                                                          ACLIMB_WEIGHT_QUANT_OUTPUT};
inline constexpr contract::Parameter kParametersOfV3[] = {
    ACLIMB_WEIGHT_QUANT_INPUTS,
    contract::Attribute("innerPrecise", contract::Kind::kInteger,
                        "1 allows less precision, which is not used"),
    ACLIMB_WEIGHT_QUANT_OUTPUT};
#undef ACLIMB_WEIGHT_QUANT_INPUTS
#undef ACLIMB_WEIGHT_QUANT_OUTPUT

// ---- Rules

using Finding = std::optional<std::string>;

Finding WrongBiasDType(const contract::Arguments& arguments);
Finding WrongGroupSize(const contract::Arguments& arguments);
Finding WrongScaleShape(const contract::Arguments& arguments);
Finding WrongBiasShape(const contract::Arguments& arguments);

inline constexpr contract::Rule kNotQuantised = contract::Absent(
    "absent/quantisation", "pass null, and quantise y afterwards", kQuantScale, kQuantOffset);
inline constexpr contract::Rule kScaleDType = contract::SameDType(
    "same-dtype/antiquantScale", kScale, kX, "convert the scales to the dtype of x");
inline constexpr contract::Rule kOffsetDType = contract::SameDType(
    "same-dtype/antiquantOffset", kOffset, kX, "convert the offsets to the dtype of x");
inline constexpr contract::Rule kBiasDType = contract::Custom(
    "bias-dtype", &WrongBiasDType,
    "biasOptional is FLOAT16 where x is, and FLOAT where x is BFLOAT16", "convert the bias");
inline constexpr contract::Rule kGroups =
    contract::Custom("group-size", &WrongGroupSize,
                     "antiquantGroupSize is 0, or a multiple of 32 below the K of weight, which "
                     "Ascend310P lacks",
                     "pass 0 with one scale for a column, or the size of a group");
inline constexpr contract::Rule kScaleShape =
    contract::Custom("scale-shape", &WrongScaleShape,
                     "antiquantScale has one element, or one for each column of weight, or with "
                     "antiquantGroupSize one for each group of a column",
                     "give antiquantScale that shape");
inline constexpr contract::Rule kOffsetShape =
    contract::SameShape("same-shape/antiquantOffset", kOffset, kScale,
                        "give antiquantOffsetOptional the shape of antiquantScale");
inline constexpr contract::Rule kBiasShape = contract::Custom(
    "bias-shape", &WrongBiasShape, "biasOptional has an element for each column of weight",
    "give biasOptional the shape [N]");

inline constexpr contract::Rule kRulesOfV2[] = {
    kNotQuantised, kScaleDType,
    kOffsetDType,  contract::SameDType("same-dtype/y", kY, kX, "allocate y with the dtype of x"),
    kBiasDType,    kGroups,
    kScaleShape,   kOffsetShape,
    kBiasShape,
};
inline constexpr contract::Rule kRulesOfV3[] = {
    kNotQuantised,
    kScaleDType,
    kOffsetDType,
    contract::SameDType("same-dtype/y", kYOfV3, kX, "allocate y with the dtype of x"),
    kBiasDType,
    kGroups,
    contract::InRange("inner-precise", kInnerPrecise, contract::Between(0, 1), "pass 0"),
    kScaleShape,
    kOffsetShape,
    kBiasShape,
};

inline constexpr contract::Contract kContractOfV2 = {
    .function = "aclnnWeightQuantBatchMatmulV2",
    .folder = "weight_quant_batch_matmul_v2",
    .summary = "The product of a matrix and a weight of 8-bit or 4-bit integers, which are scaled.",
    .products = Bit(Product::kInference310P) | Bit(Product::kA2) | Bit(Product::kA3),
    .parameters = kParametersOfV2,
    .rules = kRulesOfV2,
};
inline constexpr contract::Contract kContractOfV3 = {
    .function = "aclnnWeightQuantBatchMatmulV3",
    .folder = "weight_quant_batch_matmul_v3",
    .summary = "aclnnWeightQuantBatchMatmulV2 with a choice of precision.",
    .products = Bit(Product::kA2) | Bit(Product::kA3),
    .parameters = kParametersOfV3,
    .rules = kRulesOfV3,
};
static_assert(
    contract::Matches<decltype(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize)>(kContractOfV2));
static_assert(
    contract::Matches<decltype(aclnnWeightQuantBatchMatmulV3GetWorkspaceSize)>(kContractOfV3));

}  // namespace aclimb::weight_quant_batch_matmul
