#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/norms/shapes.h"
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"

// The contracts of aclnnRmsNorm, aclnnRmsNormGrad, aclnnAddRmsNorm and aclnnAddLayerNorm: rows are
// the dimensions that gamma has.
namespace aclimb::norms {

// On the chips that the documents name, the old one of which lacks BFLOAT16.
inline constexpr uint8_t kRmsProducts =
    Bit(Product::kInference310P) | Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950);
inline constexpr auto kRmsFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);
inline constexpr auto kRmsFloat = contract::OnAll(contract::DTypes(DType::kFloat32));

constexpr contract::Parameter RowsInput(const char* name, const char* doc) {
  return contract::WithRank(contract::Input(name, kRmsFloats, doc), 1, 8);
}
constexpr contract::Parameter RowsOutput(const char* name, const char* doc) {
  return contract::WithRank(contract::Output(name, kRmsFloats, doc), 1, 8);
}
constexpr contract::Parameter StatisticsOutput(const char* name, const char* doc) {
  return contract::WithRank(contract::Output(name, kRmsFloat, doc), 0, 8);
}
inline constexpr char kOfRows[] =
    "a number for each row: the dimensions before those of gamma, then, or not, 1 for each of "
    "these";

inline std::string AndShapeOf(const contract::Arguments& arguments, const Named& tensor) {
  return Cat(" and ", ShapeOf(arguments, tensor));
}

namespace rms_norm {

enum : int { kX, kGamma, kEpsilon, kY, kRstd };

inline constexpr contract::Parameter kParameters[] = {
    RowsInput("x", "rows are the dimensions that gamma has"),
    RowsInput("gamma", "weights: the last dimensions of x, one at least"),
    contract::Attribute("epsilon", contract::Kind::kReal, "is added to the mean square"),
    contract::MayBe(RowsOutput("yOut", "shape and dtype of x"), kX),
    StatisticsOutput("rstdOut", kOfRows),
};

inline Violation GammaShape(const contract::Arguments& arguments) {
  return TrailingShape(arguments, {kGamma, "gamma"}, {kX, "x"});
}
inline Violation RstdShape(const contract::Arguments& arguments) {
  return StatisticsShape(arguments, {kRstd, "rstdOut"}, {kX, "x"},
                         arguments.Tensor(kGamma).shape.size(),
                         AndShapeOf(arguments, {kGamma, "gamma"}), /*may_end=*/true);
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDTypeOr("dtype/gamma", kGamma, kX, contract::DTypes(DType::kFloat32),
                          "convert gamma to one of the two"),
    contract::SameDType("same-dtype/yOut", kY, kX, "allocate yOut with the dtype of x"),
    contract::SameShape("same-shape/yOut", kY, kX, "allocate yOut with the shape of x"),
    contract::Custom("shape/gamma", &GammaShape, "gamma has the shape of the last dimensions of x",
                     "pass one weight for each element of a row"),
    contract::Custom("shape/rstdOut", &RstdShape,
                     "rstdOut has the dimensions of x before those of gamma, then, or not, 1 for "
                     "each of these",
                     "allocate one number for each row"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnRmsNorm",
    .folder = "rms_norm",
    .summary =
        "RMS normalization: divides each row by the root of its mean square and multiplies it by "
        "gamma.",
    .products = kRmsProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRmsNormGetWorkspaceSize)>(kContract));

}  // namespace rms_norm

namespace rms_norm_grad {

enum : int { kDy, kX, kRstd, kGamma, kDx, kDgamma };

inline constexpr contract::Parameter kParameters[] = {
    RowsInput("dy", "gradient of the forward output"),
    RowsInput("x", "the forward input, shape and dtype of dy"),
    contract::WithRank(contract::Input("rstd", kRmsFloat, "what the forward call returned"), 0, 8),
    RowsInput("gamma", "the forward weights, dtype of x or FLOAT"),
    contract::MayBe(RowsOutput("dxOut", "shape and dtype of x"), kDy, kX),
    contract::WithRank(contract::Output("dgammaOut", kRmsFloat, "shape of gamma"), 1, 8),
};

inline Violation GammaShape(const contract::Arguments& arguments) {
  return TrailingShape(arguments, {kGamma, "gamma"}, {kX, "x"});
}
inline Violation RstdShape(const contract::Arguments& arguments) {
  return StatisticsShape(arguments, {kRstd, "rstd"}, {kX, "x"},
                         arguments.Tensor(kGamma).shape.size(),
                         AndShapeOf(arguments, {kGamma, "gamma"}), /*may_end=*/true);
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/x", kX, kDy, "pass both in one dtype"),
    contract::SameDTypeOr("dtype/gamma", kGamma, kX, contract::DTypes(DType::kFloat32),
                          "convert gamma to one of the two"),
    contract::SameDType("same-dtype/dxOut", kDx, kX, "allocate dxOut with the dtype of x"),
    contract::SameShape("same-shape/x", kX, kDy, "pass the forward input"),
    contract::SameShape("same-shape/dxOut", kDx, kX, "allocate dxOut with the shape of x"),
    contract::SameShape("same-shape/dgammaOut", kDgamma, kGamma,
                        "allocate dgammaOut with the shape of gamma"),
    contract::Custom("shape/gamma", &GammaShape, "gamma has the shape of the last dimensions of x",
                     "pass the forward weights"),
    contract::Custom("shape/rstd", &RstdShape,
                     "rstd has the dimensions of x before those of gamma, then, or not, 1 for each "
                     "of these",
                     "pass what the forward call returned"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnRmsNormGrad",
    .folder = "rms_norm_grad",
    .summary = "Gradients of aclnnRmsNorm with respect to its input and gamma.",
    .products = kRmsProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRmsNormGradGetWorkspaceSize)>(kContract));

}  // namespace rms_norm_grad

namespace add_rms_norm {

enum : int { kX1, kX2, kGamma, kEpsilon, kY, kRstd, kX };

inline constexpr contract::Parameter kParameters[] = {
    RowsInput("x1", "rows are the dimensions that gamma has"),
    RowsInput("x2", "shape and dtype of x1"),
    RowsInput("gamma", "weights: the last dimensions of x1, one at least"),
    contract::Attribute("epsilonOptional", contract::Kind::kReal, "is added to the mean square"),
    contract::MayBe(RowsOutput("yOut", "shape and dtype of x1"), kX1, kX2),
    StatisticsOutput("rstdOut", kOfRows),
    contract::MayBe(RowsOutput("xOut", "x1 + x2: shape and dtype of x1"), kX1, kX2),
};

inline Violation GammaShape(const contract::Arguments& arguments) {
  return TrailingShape(arguments, {kGamma, "gamma"}, {kX1, "x1"});
}
inline Violation RstdShape(const contract::Arguments& arguments) {
  return StatisticsShape(arguments, {kRstd, "rstdOut"}, {kX1, "x1"},
                         arguments.Tensor(kGamma).shape.size(),
                         AndShapeOf(arguments, {kGamma, "gamma"}), /*may_end=*/true);
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/x2", kX2, kX1, "pass both in one dtype"),
    contract::SameDTypeOr("dtype/gamma", kGamma, kX1, contract::DTypes(DType::kFloat32),
                          "convert gamma to one of the two"),
    contract::SameDType("same-dtype/yOut", kY, kX1, "allocate yOut with the dtype of x1"),
    contract::SameDType("same-dtype/xOut", kX, kX1, "allocate xOut with the dtype of x1"),
    contract::SameShape("same-shape/x2", kX2, kX1, "pass two tensors of one shape"),
    contract::SameShape("same-shape/yOut", kY, kX1, "allocate yOut with the shape of x1"),
    contract::SameShape("same-shape/xOut", kX, kX1, "allocate xOut with the shape of x1"),
    contract::Custom("shape/gamma", &GammaShape, "gamma has the shape of the last dimensions of x1",
                     "pass one weight for each element of a row"),
    contract::Custom("shape/rstdOut", &RstdShape,
                     "rstdOut has the dimensions of x1 before those of gamma, then, or not, 1 for "
                     "each of these",
                     "allocate one number for each row"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAddRmsNorm",
    .folder = "add_rms_norm",
    .summary = "aclnnRmsNorm of the sum of two tensors, which is an output too.",
    .products = kRmsProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnAddRmsNormGetWorkspaceSize)>(kContract));

}  // namespace add_rms_norm

namespace add_layer_norm {

enum : int { kX1, kX2, kGamma, kBeta, kBias, kEpsilon, kAdditionalOutput, kY, kMean, kRstd, kX };

inline constexpr contract::Parameter kParameters[] = {
    RowsInput("x1", "rows are the dimensions that gamma has"),
    RowsInput("x2", "shape of x1"),
    RowsInput("gamma", "weights: the last dimensions of x1, one at least"),
    RowsInput("beta", "is added to the result: shape of gamma"),
    contract::Optional(
        RowsInput("biasOptional", "is added to x1 + x2: shape of gamma or of x1; may be null")),
    contract::Attribute("epsilon", contract::Kind::kReal, "is added to the variance"),
    contract::Attribute("additionalOutput", contract::Kind::kBool, "whether xOut is written"),
    contract::MayBe(RowsOutput("yOut", "shape of x1"), kX1, kX2),
    StatisticsOutput("meanOut", kOfRows),
    StatisticsOutput("rstdOut", kOfRows),
    contract::MayBe(contract::Optional(RowsOutput("xOut", "x1 + x2 + biasOptional: shape of x1")),
                    kX1, kX2),
};

inline Violation GammaShape(const contract::Arguments& arguments) {
  return TrailingShape(arguments, {kGamma, "gamma"}, {kX1, "x1"});
}
inline Violation MeanShape(const contract::Arguments& arguments) {
  return StatisticsShape(arguments, {kMean, "meanOut"}, {kX1, "x1"},
                         arguments.Tensor(kGamma).shape.size(),
                         AndShapeOf(arguments, {kGamma, "gamma"}), /*may_end=*/true);
}
inline Violation RstdShape(const contract::Arguments& arguments) {
  return StatisticsShape(arguments, {kRstd, "rstdOut"}, {kX1, "x1"},
                         arguments.Tensor(kGamma).shape.size(),
                         AndShapeOf(arguments, {kGamma, "gamma"}), /*may_end=*/true);
}
inline Violation BiasShape(const contract::Arguments& arguments) {
  if (!arguments.Given(kBias)) return std::nullopt;
  const Shape& got = arguments.Tensor(kBias).shape;
  if (got == arguments.Tensor(kGamma).shape || got == arguments.Tensor(kX1).shape) {
    return std::nullopt;
  }
  return Cat(ShapeOf(arguments, {kBias, "biasOptional"}), " but ",
             ShapeOf(arguments, {kGamma, "gamma"}), " and ", ShapeOf(arguments, {kX1, "x1"}),
             "; expected one of these.");
}

inline constexpr contract::Rule kRules[] = {
    contract::Wanted("wanted/xOut", kX, kAdditionalOutput,
                     "pass the tensor, or set additionalOutput to false"),
    contract::SameShape("same-shape/x2", kX2, kX1, "pass two tensors of one shape"),
    contract::SameShape("same-shape/beta", kBeta, kGamma, "pass two tensors of one shape"),
    contract::SameShape("same-shape/yOut", kY, kX1, "allocate yOut with the shape of x1"),
    contract::SameShape("same-shape/xOut", kX, kX1, "allocate xOut with the shape of x1"),
    contract::Custom("shape/gamma", &GammaShape, "gamma has the shape of the last dimensions of x1",
                     "pass one weight for each element of a row"),
    contract::Custom("shape/biasOptional", &BiasShape,
                     "biasOptional has the shape of gamma or of x1",
                     "pass a bias for each element of a row, or for each element"),
    contract::Custom("shape/meanOut", &MeanShape,
                     "meanOut has the dimensions of x1 before those of gamma, then, or not, 1 for "
                     "each of these",
                     "allocate one number for each row"),
    contract::Custom("shape/rstdOut", &RstdShape,
                     "rstdOut has the dimensions of x1 before those of gamma, then, or not, 1 for "
                     "each of these",
                     "allocate one number for each row"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAddLayerNorm",
    .folder = "add_layer_norm",
    .summary = "aclnnLayerNorm of the sum of two tensors and a bias, which can be an output too.",
    .products = kRmsProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnAddLayerNormGetWorkspaceSize)>(kContract));

}  // namespace add_layer_norm
}  // namespace aclimb::norms
