#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/convolution_backward/rules.h"
#include "aclnnop/aclnn_convolution_backward.h"

namespace aclimb::convolution_backward {

inline constexpr auto kDTypes =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);
inline constexpr auto kChannelFirst =
    contract::Formats(contract::kNchw, contract::kNd, contract::kNcdhw, contract::kNcl);

// A tensor with one, two or three spatial dimensions.
constexpr contract::Parameter Spatial(contract::Parameter parameter) {
  return contract::WithFormats(contract::WithRank(parameter, 3, 5), kChannelFirst);
}

// What aclnnConvolution has too.
inline constexpr contract::Parameter kInputParameter =
    Spatial(contract::Input("input", kDTypes, "[N, Cin, H, W]"));
inline constexpr contract::Parameter kWeightParameter = Spatial(contract::Input(
    "weight", kDTypes, "[Cout, Cin / groups, kH, kW]; transposed: [Cin, Cout / groups, kH, kW]"));
inline constexpr contract::Parameter kStrideParameter = contract::Attribute(
    "stride", contract::Kind::kIntArray, "at least 1; one entry per dimension, or one for all");
inline constexpr contract::Parameter kPaddingParameter =
    contract::Attribute("padding", contract::Kind::kIntArray,
                        "at least 0; one entry per dimension, or one for all, or in two "
                        "dimensions top, bottom, left, right");
inline constexpr contract::Parameter kDilationParameter = contract::Attribute(
    "dilation", contract::Kind::kIntArray, "at least 1; one entry per dimension, or one for all");
inline constexpr contract::Parameter kGroupsParameter =
    contract::Attribute("groups", contract::Kind::kInteger, "at least 1");
inline constexpr contract::Parameter kCubeMathTypeParameter =
    contract::Attribute("cubeMathType", contract::Kind::kInteger,
                        "0 keep the dtype; 1, 2, 3 allow less precision, which is not used: FLOAT "
                        "is computed in float32");
template <const Positions& kOf>
inline constexpr contract::Rule kFormatRule =
    contract::Custom("format-of-rank", &At<FormatOfAnotherRank, kOf>,
                     "the format is ND, or NCL, NCHW or NCDHW by rank",
                     "tag rank 3 as NCL, rank 4 as NCHW, rank 5 as NCDHW, or any as ND");
template <const Positions& kOf>
inline constexpr contract::Rule kWeightRankRule =
    contract::SameRank("same-rank/weight", kOf.weight, kOf.input,
                       "reshape so that both have the same spatial dimensions");
template <const Positions& kOf>
inline constexpr contract::Rule kProductRule =
    contract::Custom("rank-of-product", &At<ThreeDimensionsOnOldChip, kOf>,
                     "three spatial dimensions need Atlas A2 or later",
                     "choose another product with ACLIMB_SOC, for example Ascend910B3");
template <const Positions& kOf>
inline constexpr contract::Rule kLengthsRule = contract::Custom(
    "lengths", &At<WrongLength, kOf>,
    "stride, padding, dilation and outputPadding have one entry per spatial dimension, or one; "
    "padding and outputPadding may have four in two dimensions",
    "pass one number for each spatial dimension");
template <const Positions& kOf>
inline constexpr contract::Rule kOutputPaddingRule =
    contract::Custom("output-padding", &At<WrongOutputPadding, kOf>,
                     "outputPadding is in [0, stride) when transposed, else 0",
                     "pass zeros unless transposed is true");
template <const Positions& kOf>
inline constexpr contract::Rule kGroupsRule = contract::InRange("groups", kOf.groups,
                                                                contract::AtLeast(1),
                                                                "pass 1 for no groups");

inline constexpr contract::Parameter kParameters[] = {
    Spatial(contract::Input("gradOutput", kDTypes, "[N, Cout, outH, outW]")),
    kInputParameter,
    kWeightParameter,
    contract::Optional(contract::Attribute("biasSizes", contract::Kind::kIntArray,
                                           "[Cout]; may be null when gradBias is not wanted")),
    kStrideParameter,
    kPaddingParameter,
    kDilationParameter,
    contract::Attribute("transposed", contract::Kind::kBool,
                        "true: gradients of a transposed convolution"),
    contract::Attribute("outputPadding", contract::Kind::kIntArray,
                        "in [0, stride) when transposed, else 0; enters no sum"),
    kGroupsParameter,
    contract::Attribute("outputMask", contract::Kind::kBoolArray,
                        "which of gradInput, gradWeight and gradBias to write"),
    kCubeMathTypeParameter,
    Spatial(contract::Optional(contract::Output("gradInput", kDTypes, "shape and dtype of input"))),
    Spatial(
        contract::Optional(contract::Output("gradWeight", kDTypes, "shape and dtype of weight"))),
    contract::WithRank(
        contract::Optional(contract::Output("gradBias", kDTypes, "[Cout], dtype of gradOutput")), 1,
        1),
};

inline constexpr contract::Rule kRules[] = {
    contract::Count("mask-length", kOutputMask, contract::Exactly(3),
                    "pass one flag each for gradInput, gradWeight and gradBias", kAclnnNullptr),
    contract::Wanted("wanted/gradInput", kGradInput, kOutputMask, 0,
                     "pass the tensor, or set outputMask[0] to false"),
    contract::Wanted("wanted/gradWeight", kGradWeight, kOutputMask, 1,
                     "pass the tensor, or set outputMask[1] to false"),
    contract::Wanted("wanted/gradBias", kGradBias, kOutputMask, 2,
                     "pass the tensor, or set outputMask[2] to false"),
    contract::Custom("wanted/biasSizes", &WantedBiasSizesMissing,
                     "biasSizes is given when outputMask[2] is true",
                     "pass the shape of the bias, or set outputMask[2] to false", kAclnnNullptr),
    contract::SameDType("same-dtype/gradInput", kGradInput, kInput,
                        "allocate gradInput with the dtype of input"),
    contract::SameDType("same-dtype/gradWeight", kGradWeight, kWeight,
                        "allocate gradWeight with the dtype of weight"),
    contract::SameDType("same-dtype/gradBias", kGradBias, kGradOutput,
                        "allocate gradBias with the dtype of gradOutput"),
    kFormatRule<kAt>,
    contract::SameRank("same-rank/gradOutput", kGradOutput, kInput,
                       "reshape so that both have the same spatial dimensions"),
    kWeightRankRule<kAt>,
    kProductRule<kAt>,
    kLengthsRule<kAt>,
    contract::Count("bias-sizes", kBiasSizes, contract::Exactly(1),
                    "pass the number of output channels"),
    contract::InRange("stride", kStride, contract::AtLeast(1),
                      "pass the stride of the forward call"),
    contract::InRange("padding", kPadding, contract::AtLeast(0),
                      "pass the padding of the forward call"),
    contract::InRange("dilation", kDilation, contract::AtLeast(1),
                      "pass the dilation of the forward call; 1 means none"),
    kOutputPaddingRule<kAt>,
    kGroupsRule<kAt>,
    contract::InRange("cube-math-type", kCubeMathType, contract::Between(0, 3),
                      "pass 0 to keep the dtype"),
    contract::Custom("cube-math-type-of-product", &CubeMathTypeOfAnotherProduct,
                     "cubeMathType is 1 or 2 for FLOAT on Ascend310P and Ascend910",
                     "pass 1, or choose another product with ACLIMB_SOC"),
    contract::Custom("empty-of-product", &EmptyOnOldChip, "empty tensors need Atlas A2 or later",
                     "choose another product with ACLIMB_SOC, for example Ascend910B3"),
    contract::Custom("empty-bias", &WrongBiasSizesWhenEmpty,
                     "with an empty input or weight biasSizes names the channels of the bias",
                     "pass the number of output channels as biasSizes"),
    contract::Custom("empty-grad-input", &EmptyWithGradInput,
                     "with an empty input or weight gradInput needs an input without images or "
                     "channels",
                     "set outputMask[0] to false"),
    contract::Custom("empty-grad-output", &EmptyGradOutput,
                     "gradOutput is not empty when input and weight are not",
                     "check the spatial size of gradOutput"),
    contract::SameShape("same-shape/gradInput", kGradInput, kInput,
                        "allocate gradInput with the shape of input"),
    contract::SameShape("same-shape/gradWeight", kGradWeight, kWeight,
                        "allocate gradWeight with the shape of weight"),
    contract::Custom("bias-shape", &WrongBiasShape, "gradBias.shape is [gradOutput.shape[1]]",
                     "allocate gradBias with one element per output channel"),
    contract::Custom("groups-divide", &At<GroupsDoNotDivide, kAt>, "groups divides weight.shape[0]",
                     "pass the groups of the forward call"),
    contract::Custom("channels", &WrongChannels,
                     "input.shape[1] is weight.shape[1] * groups and gradOutput.shape[1] is "
                     "weight.shape[0]; the other way round when transposed",
                     "pass the groups and the weight of the forward call"),
    contract::Custom("batch", &DifferentBatches, "gradOutput.shape[0] is input.shape[0]",
                     "pass tensors of the same batch"),
    contract::Custom("spatial", &WrongSpatialSize,
                     "the spatial sizes obey out = floor((in + pads - dilation * (kernel - 1) - 1) "
                     "/ stride) + 1; with in and out exchanged when transposed",
                     "pass the stride, padding and dilation of the forward call"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnConvolutionBackward",
    .folder = "convolution_backward",
    .summary =
        "Gradients of a convolution, or of a transposed convolution, with respect to input, "
        "weight and bias, in one, two or three dimensions.",
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnConvolutionBackwardGetWorkspaceSize)>(kContract));

}  // namespace aclimb::convolution_backward
