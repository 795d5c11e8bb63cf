#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/convolution_backward/contract.h"
#include "aclimb/ops/convolution_backward/forward_rules.h"
#include "aclnnop/aclnn_convolution.h"

namespace aclimb::convolution_backward::forward {

inline constexpr contract::Parameter kParameters[] = {
    Spatial(contract::Input("input", kDTypes, "[N, Cin, H, W]")),
    Spatial(contract::Input("weight", kDTypes,
                            "[Cout, Cin / groups, kH, kW]; transposed: [Cin, Cout / groups, kH, "
                            "kW]")),
    contract::WithRank(contract::Optional(contract::Input(
                           "bias", kDTypes, "[Cout], added to each channel; null adds nothing")),
                       1, 1),
    contract::Attribute("stride", contract::Kind::kIntArray,
                        "at least 1; one entry per dimension, or one for all"),
    contract::Attribute("padding", contract::Kind::kIntArray,
                        "at least 0; one entry per dimension, or one for all, or in two "
                        "dimensions top, bottom, left, right"),
    contract::Attribute("dilation", contract::Kind::kIntArray,
                        "at least 1; one entry per dimension, or one for all"),
    contract::Attribute("transposed", contract::Kind::kBool, "true: a transposed convolution"),
    contract::Attribute("outputPadding", contract::Kind::kIntArray,
                        "added to the sizes of a transposed convolution's output, in [0, stride); "
                        "else 0"),
    contract::Attribute("groups", contract::Kind::kInteger, "at least 1"),
    Spatial(contract::Output("output", kDTypes, "[N, Cout, outH, outW]")),
    contract::Attribute("cubeMathType", contract::Kind::kInteger,
                        "0 keep the dtype; 1, 2, 3 allow less precision, which is not used: FLOAT "
                        "is computed in float32"),
};

inline constexpr contract::Rule kRules[] = {
    contract::Promotes("promotes/weight", kInput, kWeight, kOutput,
                       "convert the data of one of the two to the dtype of the other"),
    contract::Custom("format-of-rank", &FormatOfAnotherRank,
                     "the format is ND, or NCL, NCHW or NCDHW by rank",
                     "tag rank 3 as NCL, rank 4 as NCHW, rank 5 as NCDHW, or any as ND"),
    contract::SameRank("same-rank/weight", kWeight, kInput,
                       "reshape so that both have the same spatial dimensions"),
    contract::SameRank("same-rank/output", kOutput, kInput,
                       "reshape so that both have the same spatial dimensions"),
    contract::Custom("rank-of-product", &ThreeDimensionsOnOldChip,
                     "three spatial dimensions need Atlas A2 or later",
                     "choose another product with ACLIMB_SOC, for example Ascend910B3"),
    contract::Custom("lengths", &WrongLength,
                     "stride, padding, dilation and outputPadding have one entry per spatial "
                     "dimension, or one; padding and outputPadding may have four in two dimensions",
                     "pass one number for each spatial dimension"),
    contract::InRange("stride", kStride, contract::AtLeast(1), "pass 1 to take every window"),
    contract::InRange("padding", kPadding, contract::AtLeast(0), "pass 0 for no padding"),
    contract::InRange("dilation", kDilation, contract::AtLeast(1), "pass 1 for none"),
    contract::Custom("output-padding", &WrongOutputPadding,
                     "outputPadding is in [0, stride) when transposed, else 0",
                     "pass zeros unless transposed is true"),
    contract::InRange("groups", kGroups, contract::AtLeast(1), "pass 1 for no groups"),
    contract::InRange("cube-math-type", kCubeMathType, contract::Between(0, 3),
                      "pass 0 to keep the dtype"),
    contract::Custom("groups-divide", &GroupsDoNotDivide, "groups divides weight.shape[0]",
                     "pass a weight with a multiple of groups in its first dimension"),
    contract::Custom("channels", &WrongChannels,
                     "input.shape[1] is weight.shape[1] * groups; when transposed, weight.shape[0]",
                     "pass the weight and the groups of this layer"),
    contract::Custom("bias-shape", &WrongBias, "bias.shape is [output channels]",
                     "pass one number for each output channel"),
    contract::Custom("shape/output", &WrongOutputShape,
                     "output.shape is [N, Cout, sizes]: floor((in + pads - dilation * (kernel - 1) "
                     "- 1) / stride) + 1; when transposed, (in - 1) * stride - pads + dilation * "
                     "(kernel - 1) + outputPadding + 1",
                     "allocate output with the shape that is expected"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnConvolution",
    .folder = "convolution",
    .summary =
        "A convolution or a transposed convolution in one, two or three dimensions, with an "
        "optional bias.",
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnConvolutionGetWorkspaceSize)>(kContract));

}  // namespace aclimb::convolution_backward::forward
