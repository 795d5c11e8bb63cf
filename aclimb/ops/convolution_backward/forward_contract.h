#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/convolution_backward/contract.h"
#include "aclimb/ops/convolution_backward/forward_rules.h"
#include "aclnnop/aclnn_convolution.h"

namespace aclimb::convolution_backward::forward {

inline constexpr contract::Parameter kParameters[] = {
    kInputParameter,
    kWeightParameter,
    contract::WithRank(contract::Optional(contract::Input(
                           "bias", kDTypes, "[Cout], added to each channel; null adds nothing")),
                       1, 1),
    kStrideParameter,
    kPaddingParameter,
    kDilationParameter,
    contract::Attribute("transposed", contract::Kind::kBool, "true: a transposed convolution"),
    contract::Attribute("outputPadding", contract::Kind::kIntArray,
                        "added to the sizes of a transposed convolution's output, in [0, stride); "
                        "else 0"),
    kGroupsParameter,
    contract::WrittenEarly(Spatial(contract::Output("output", kDTypes, "[N, Cout, outH, outW]"))),
    kCubeMathTypeParameter,
};

inline constexpr contract::Rule kRules[] = {
    contract::Promotes(
        "promotes/weight", kInput, kWeight, kOutput,
        "create the output with the common dtype or a wider one, or convert an operand"),
    kFormatRule<kAt>,
    kWeightRankRule<kAt>,
    contract::SameRank("same-rank/output", kOutput, kInput,
                       "reshape so that both have the same spatial dimensions"),
    kProductRule<kAt>,
    kLengthsRule<kAt>,
    contract::InRange("stride", kStride, contract::AtLeast(1), "pass 1 to take every window"),
    contract::InRange("padding", kPadding, contract::AtLeast(0), "pass 0 for no padding"),
    contract::InRange("dilation", kDilation, contract::AtLeast(1), "pass 1 for none"),
    kOutputPaddingRule<kAt>,
    kGroupsRule<kAt>,
    contract::InRange("cube-math-type", kCubeMathType, contract::Between(0, 3),
                      "pass 0 to keep the dtype"),
    contract::Custom("groups-divide", &At<GroupsDoNotDivide, kAt>, "groups divides weight.shape[0]",
                     "pass a weight with a multiple of groups in its first dimension"),
    contract::Custom("channels", &WrongChannels,
                     "input.shape[1] is weight.shape[1] * groups; when transposed, weight.shape[0]",
                     "pass the weight and the groups of this layer"),
    contract::Custom("empty", &NothingToConvolve,
                     "input and weight have elements unless output has none",
                     "skip the convolution of a tensor without elements"),
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
