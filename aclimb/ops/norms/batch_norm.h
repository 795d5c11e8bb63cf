#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/norms/shapes.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"

// The contracts of aclnnBatchNorm and aclnnBatchNormBackward.
namespace aclimb::norms {

inline constexpr auto kBatchFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

constexpr contract::Parameter Batch(contract::Parameter parameter) {
  return contract::WithShape(parameter, "N C S...");
}
constexpr contract::Parameter OfChannels(contract::Parameter parameter) {
  return contract::Optional(contract::WithShape(parameter, "C"));
}
// Callers pass empty tensors for statistics that are not there.
constexpr contract::Parameter StatisticsOfChannels(contract::Parameter parameter) {
  return contract::EmptyIsAbsent(OfChannels(parameter));
}

// Whether a tensor with elements was passed.
inline bool HasTensor(const contract::Arguments& arguments, int parameter) {
  return arguments.Given(parameter) && !arguments.Tensor(parameter).IsEmpty();
}

// A tensor without elements counts as null where there are channels.
inline Violation NoStatistics(const contract::Arguments& arguments, const Named& tensor,
                              const Named& input) {
  const bool given = arguments.Given(tensor.position);
  if (HasTensor(arguments, tensor.position)) return std::nullopt;
  const Shape& shape = arguments.Tensor(input.position).shape;
  if (given && (shape.size() < 2 || shape[1] == 0)) return std::nullopt;
  return Cat(tensor.name, " is ", given ? "empty" : "null",
             " and training is true; expected a tensor with a number for each channel.");
}

namespace batch_norm {

enum : int {
  kInput,
  kWeight,
  kBias,
  kRunningMean,
  kRunningVar,
  kTraining,
  kMomentum,
  kEps,
  kOutput,
  kSaveMean,
  kSaveInvstd
};

inline constexpr contract::Parameter kParameters[] = {
    Batch(contract::Input("input", kBatchFloats, "any number of dimensions after the channels")),
    OfChannels(
        contract::Input("weight", kBatchFloats, "dtype of input, or FLOAT; null means all ones")),
    OfChannels(
        contract::Input("bias", kBatchFloats, "dtype of input, or FLOAT; null means all zeros")),
    StatisticsOfChannels(contract::InOut(
        "runningMean", kBatchFloats,
        "dtype of input, or FLOAT; when training it moves to the batch's mean by momentum; null "
        "means zeros")),
    StatisticsOfChannels(contract::InOut(
        "runningVar", kBatchFloats,
        "dtype of input, or FLOAT; when training it moves to the batch's unbiased variance by "
        "momentum; null means ones")),
    contract::Attribute("training", contract::Kind::kBool,
                        "true: with the statistics of this batch; false: with the running ones"),
    contract::Attribute("momentum", contract::Kind::kReal,
                        "share of this batch in the running statistics"),
    contract::Attribute("eps", contract::Kind::kReal, "is added to the variance"),
    contract::MayBe(Batch(contract::Output("output", kBatchFloats, "dtype of input")), kInput),
    StatisticsOfChannels(contract::Output(
        "saveMean", kBatchFloats,
        "the batch's mean, dtype of input or FLOAT; written when training, else it may be null")),
    StatisticsOfChannels(contract::Output(
        "saveInvstd", kBatchFloats,
        "1 / sqrt(variance + eps), dtype of input or FLOAT; written when training, else it may be "
        "null")),
};

inline Violation Missing(const contract::Arguments& arguments, const Named& tensor) {
  if (!arguments.Bool(kTraining)) return std::nullopt;
  return NoStatistics(arguments, tensor, {kInput, "input"});
}
inline Violation MissingMean(const contract::Arguments& arguments) {
  return Missing(arguments, {kSaveMean, "saveMean"});
}
inline Violation MissingInvstd(const contract::Arguments& arguments) {
  return Missing(arguments, {kSaveInvstd, "saveInvstd"});
}

inline constexpr contract::Rule kRules[] = {
    contract::Custom("wanted/saveMean", &MissingMean, "saveMean is given when training is true",
                     "allocate a number for each channel", kAclnnNullptr),
    contract::Custom("wanted/saveInvstd", &MissingInvstd,
                     "saveInvstd is given when training is true",
                     "allocate a number for each channel", kAclnnNullptr),
    contract::SameDType("same-dtype/output", kOutput, kInput,
                        "allocate output with the dtype of input"),
    contract::SameDTypeOr("dtype/weight", kWeight, kInput, contract::DTypes(DType::kFloat32),
                          "convert weight to one of the two"),
    contract::SameDTypeOr("dtype/bias", kBias, kInput, contract::DTypes(DType::kFloat32),
                          "convert bias to one of the two"),
    contract::SameDTypeOr("dtype/runningMean", kRunningMean, kInput,
                          contract::DTypes(DType::kFloat32), "keep runningMean in one of the two"),
    contract::SameDTypeOr("dtype/runningVar", kRunningVar, kInput,
                          contract::DTypes(DType::kFloat32), "keep runningVar in one of the two"),
    contract::SameDTypeOr("dtype/saveMean", kSaveMean, kInput, contract::DTypes(DType::kFloat32),
                          "allocate saveMean with one of the two"),
    contract::SameDTypeOr("dtype/saveInvstd", kSaveInvstd, kInput,
                          contract::DTypes(DType::kFloat32),
                          "allocate saveInvstd with one of the two"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnBatchNorm",
    .folder = "batch_norm",
    .summary =
        "Batch normalization: shifts and scales each channel of a batch to mean 0 and variance 1.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnBatchNormGetWorkspaceSize)>(kContract));

}  // namespace batch_norm

namespace batch_norm_backward {

enum : int {
  kGradOut,
  kInput,
  kWeight,
  kRunningMean,
  kRunningVar,
  kSaveMean,
  kSaveInvstd,
  kTraining,
  kEps,
  kOutputMask,
  kGradInput,
  kGradWeight,
  kGradBias
};

inline constexpr contract::Parameter kParameters[] = {
    Batch(contract::Input("gradOut", kBatchFloats, "gradient of the forward output")),
    Batch(contract::Input("input", kBatchFloats, "the forward input, dtype of gradOut")),
    OfChannels(
        contract::Input("weight", kBatchFloats, "dtype of input, or FLOAT; null means all ones")),
    StatisticsOfChannels(contract::Input("runningMean", kBatchFloats,
                                         "read when training is false; null means zeros")),
    StatisticsOfChannels(contract::Input("runningVar", kBatchFloats,
                                         "read when training is false; null means ones")),
    StatisticsOfChannels(contract::Input("saveMean", kBatchFloats,
                                         "what the forward call returned; read when training")),
    StatisticsOfChannels(contract::Input("saveInvstd", kBatchFloats,
                                         "what the forward call returned; read when training")),
    contract::Attribute("training", contract::Kind::kBool, "as in the forward call"),
    contract::Attribute("eps", contract::Kind::kReal,
                        "as in the forward call; read when training is false"),
    contract::Attribute("outputMask", contract::Kind::kBoolArray,
                        "three flags: which of the outputs to write"),
    contract::MayBe(
        contract::Optional(Batch(contract::Output("gradInput", kBatchFloats, "dtype of input"))),
        kGradOut, kInput),
    OfChannels(contract::Output("gradWeight", kBatchFloats, "gradient of the weight")),
    OfChannels(contract::Output("gradBias", kBatchFloats, "gradient of the bias")),
};

inline Violation Missing(const contract::Arguments& arguments, const Named& tensor) {
  if (!arguments.Bool(kTraining)) return std::nullopt;
  return NoStatistics(arguments, tensor, {kInput, "input"});
}
inline Violation MissingMean(const contract::Arguments& arguments) {
  return Missing(arguments, {kSaveMean, "saveMean"});
}
inline Violation MissingInvstd(const contract::Arguments& arguments) {
  return Missing(arguments, {kSaveInvstd, "saveInvstd"});
}

inline constexpr contract::Rule kRules[] = {
    contract::Count("count/outputMask", kOutputMask, contract::Exactly(3),
                    "pass one flag for each output"),
    contract::Custom("needed/saveMean", &MissingMean, "saveMean is given when training is true",
                     "pass what the forward call returned", kAclnnNullptr),
    contract::Custom("needed/saveInvstd", &MissingInvstd,
                     "saveInvstd is given when training is true",
                     "pass what the forward call returned", kAclnnNullptr),
    contract::Wanted("wanted/gradInput", kGradInput, kOutputMask, 0,
                     "pass the tensor, or set outputMask[0] to false"),
    contract::Wanted("wanted/gradWeight", kGradWeight, kOutputMask, 1,
                     "pass the tensor, or set outputMask[1] to false"),
    contract::Wanted("wanted/gradBias", kGradBias, kOutputMask, 2,
                     "pass the tensor, or set outputMask[2] to false"),
    contract::SameDType("same-dtype/input", kInput, kGradOut, "pass both in one dtype"),
    contract::SameDType("same-dtype/gradInput", kGradInput, kInput,
                        "allocate gradInput with the dtype of input"),
    contract::SameDTypeOr("dtype/weight", kWeight, kInput, contract::DTypes(DType::kFloat32),
                          "convert weight to one of the two"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnBatchNormBackward",
    .folder = "batch_norm_backward",
    .summary = "Gradients of aclnnBatchNorm with respect to its input, weight and bias.",
    .products =
        Bit(Product::kTraining910) | Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnBatchNormBackwardGetWorkspaceSize)>(kContract));

}  // namespace batch_norm_backward
}  // namespace aclimb::norms
