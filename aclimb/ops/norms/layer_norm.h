#pragma once

#include <algorithm>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/norms/shapes.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"

// The contracts of aclnnLayerNorm, aclnnLayerNormWithImplMode and aclnnLayerNormBackward.
namespace aclimb::norms::layer_norm {

enum : int { kInput, kNormalizedShape, kWeight, kBias, kEps, kOut, kMeanOut, kRstdOut, kImplMode };

inline constexpr auto kFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

constexpr contract::Parameter Rows(contract::Parameter parameter) {
  return contract::WithRank(contract::WithShape(parameter, "A... normalizedShape..."), 1, 8);
}
constexpr contract::Parameter Weights(contract::Parameter parameter) {
  return contract::WithRank(contract::WithShape(parameter, "normalizedShape..."), 1, 8);
}

inline constexpr contract::Parameter kParameters[] = {
    Rows(contract::Input("input", kFloats, "rows are its last dimensions")),
    contract::Attribute("normalizedShape", contract::Kind::kIntArray,
                        "the dimensions that make a row, one at least"),
    contract::Optional(Weights(contract::Input("weightOptional", kFloats,
                                               "dtype of input, or FLOAT; null means all ones"))),
    contract::Optional(Weights(contract::Input("biasOptional", kFloats,
                                               "dtype of input, or FLOAT; null means all zeros"))),
    contract::Attribute("eps", contract::Kind::kReal, "is added to the variance"),
    contract::MayBe(Rows(contract::Output("out", kFloats, "dtype of input")), kInput),
    contract::Optional(contract::WithRank(
        contract::Output("meanOutOptional", kFloats,
                         "mean of each row: shape of input with 1 for each normalized dimension"),
        1, 8)),
    contract::Optional(
        contract::WithRank(contract::Output("rstdOutOptional", kFloats,
                                            "1 / sqrt(variance + eps) of each row: shape and dtype "
                                            "of meanOutOptional"),
                           1, 8)),
    contract::Attribute("implMode", contract::Kind::kInteger,
                        "0 precise, 1 fast, 2 FLOAT16: this implementation is precise for all"),
};

inline std::string AndNormalizedShape(const contract::Arguments& arguments, int position) {
  return Cat(" and normalizedShape is ", Text(arguments.Ints(position)));
}

inline Violation MeanShape(const contract::Arguments& arguments) {
  return StatisticsShape(arguments, {kMeanOut, "meanOutOptional"}, {kInput, "input"},
                         arguments.Ints(kNormalizedShape).size(),
                         AndNormalizedShape(arguments, kNormalizedShape));
}
inline Violation RstdShape(const contract::Arguments& arguments) {
  return StatisticsShape(arguments, {kRstdOut, "rstdOutOptional"}, {kInput, "input"},
                         arguments.Ints(kNormalizedShape).size(),
                         AndNormalizedShape(arguments, kNormalizedShape));
}

inline constexpr contract::Rule kForwardRules[] = {
    contract::Count("count/normalizedShape", kNormalizedShape, contract::AtLeast(1),
                    "name the last dimensions of input"),
    contract::SameDType("same-dtype/out", kOut, kInput, "allocate out with the dtype of input"),
    contract::SameDType("same-dtype/rstdOutOptional", kRstdOut, kMeanOut,
                        "allocate both statistics with one dtype"),
    contract::SameDTypeOr("dtype/weightOptional", kWeight, kInput,
                          contract::DTypes(DType::kFloat32),
                          "convert weightOptional to one of the two"),
    contract::SameDTypeOr("dtype/biasOptional", kBias, kInput, contract::DTypes(DType::kFloat32),
                          "convert biasOptional to one of the two"),
    contract::Custom("shape/meanOutOptional", &MeanShape,
                     "meanOutOptional has the shape of input, with 1 for each dimension of "
                     "normalizedShape",
                     "allocate meanOutOptional with that shape"),
    contract::Custom("shape/rstdOutOptional", &RstdShape,
                     "rstdOutOptional has the shape of input, with 1 for each dimension of "
                     "normalizedShape",
                     "allocate rstdOutOptional with that shape"),
    contract::InRange("range/implMode", kImplMode, contract::Between(0, 2), "pass 0, 1 or 2"),
};

// On the chips that the document names.
inline constexpr uint8_t kForwardProducts =
    Bit(Product::kTraining910) | Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950);

inline constexpr contract::Contract kContract = {
    .function = "aclnnLayerNorm",
    .folder = "layer_norm",
    .summary =
        "Layer normalization: shifts and scales each row of the last dimensions to mean 0 and "
        "variance 1.",
    .products = kForwardProducts,
    .parameters = std::span(kParameters).first(kImplMode),
    .rules = std::span(kForwardRules).first(std::size(kForwardRules) - 1),
};
static_assert(contract::Matches<decltype(aclnnLayerNormGetWorkspaceSize)>(kContract));

inline constexpr contract::Contract kWithImplModeContract = {
    .function = "aclnnLayerNormWithImplMode",
    .folder = "layer_norm_with_impl_mode",
    .summary = "aclnnLayerNorm with a choice of its precision.",
    .products = kForwardProducts,
    .parameters = kParameters,
    .rules = kForwardRules,
};
static_assert(
    contract::Matches<decltype(aclnnLayerNormWithImplModeGetWorkspaceSize)>(kWithImplModeContract));

namespace backward {

enum : int {
  kGradOut,
  kInput,
  kNormalizedShape,
  kMean,
  kRstd,
  kWeight,
  kBias,
  kOutputMask,
  kGradInput,
  kGradWeight,
  kGradBias
};

inline constexpr contract::Parameter kParameters[] = {
    Rows(contract::Input("gradOut", kFloats, "gradient of the forward output")),
    Rows(contract::Input("input", kFloats, "the forward input, dtype of gradOut")),
    contract::Attribute("normalizedShape", contract::Kind::kIntArray, "as in the forward call"),
    contract::WithRank(contract::Input("mean", kFloats,
                                       "mean of each row: shape of input with 1 for each "
                                       "normalized dimension; dtype of input, or FLOAT"),
                       1, 8),
    contract::WithRank(
        contract::Input("rstd", kFloats,
                        "1 / sqrt(variance + eps) of each row: shape and dtype of mean"),
        1, 8),
    contract::Optional(Weights(contract::Input("weightOptional", kFloats,
                                               "dtype of input, or FLOAT; null means all ones"))),
    contract::Optional(
        Weights(contract::Input("biasOptional", kFloats, "the forward bias; is not read"))),
    contract::Attribute("outputMask", contract::Kind::kBoolArray,
                        "three flags: which of the outputs to write"),
    contract::MayBe(
        contract::Optional(Rows(contract::Output("gradInputOut", kFloats, "dtype of input"))),
        kGradOut, kInput),
    contract::Optional(Weights(
        contract::Output("gradWeightOut", kFloats, "gradient of the weight, any of the dtypes"))),
    contract::Optional(Weights(
        contract::Output("gradBiasOut", kFloats, "gradient of the bias, any of the dtypes"))),
};

inline Violation MeanShape(const contract::Arguments& arguments) {
  return StatisticsShape(arguments, {kMean, "mean"}, {kInput, "input"},
                         arguments.Ints(kNormalizedShape).size(),
                         AndNormalizedShape(arguments, kNormalizedShape));
}
inline Violation RstdShape(const contract::Arguments& arguments) {
  return StatisticsShape(arguments, {kRstd, "rstd"}, {kInput, "input"},
                         arguments.Ints(kNormalizedShape).size(),
                         AndNormalizedShape(arguments, kNormalizedShape));
}

inline constexpr contract::Rule kRules[] = {
    contract::Count("count/normalizedShape", kNormalizedShape, contract::AtLeast(1),
                    "name the last dimensions of input"),
    contract::Count("count/outputMask", kOutputMask, contract::Exactly(3),
                    "pass one flag for each output"),
    contract::Wanted("wanted/gradInputOut", kGradInput, kOutputMask, 0,
                     "pass the tensor, or set outputMask[0] to false"),
    contract::Wanted("wanted/gradWeightOut", kGradWeight, kOutputMask, 1,
                     "pass the tensor, or set outputMask[1] to false"),
    contract::Wanted("wanted/gradBiasOut", kGradBias, kOutputMask, 2,
                     "pass the tensor, or set outputMask[2] to false"),
    contract::SameDType("same-dtype/input", kInput, kGradOut, "pass both in one dtype"),
    contract::SameDType("same-dtype/rstd", kRstd, kMean, "pass both in one dtype"),
    contract::SameDType("same-dtype/gradInputOut", kGradInput, kInput,
                        "allocate gradInputOut with the dtype of input"),
    contract::SameDTypeOr("dtype/mean", kMean, kInput, contract::DTypes(DType::kFloat32),
                          "pass what the forward call returned"),
    contract::SameDTypeOr("dtype/weightOptional", kWeight, kInput,
                          contract::DTypes(DType::kFloat32),
                          "convert weightOptional to one of the two"),
    contract::Custom("shape/mean", &MeanShape,
                     "mean has the shape of input, with 1 for each dimension of normalizedShape",
                     "pass what the forward call returned"),
    contract::Custom("shape/rstd", &RstdShape,
                     "rstd has the shape of input, with 1 for each dimension of normalizedShape",
                     "pass what the forward call returned"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnLayerNormBackward",
    .folder = "layer_norm_backward",
    .summary = "Gradients of aclnnLayerNorm with respect to its input, weight and bias.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnLayerNormBackwardGetWorkspaceSize)>(kContract));

}  // namespace backward
}  // namespace aclimb::norms::layer_norm
