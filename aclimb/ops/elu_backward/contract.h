#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace aclimb::elu_backward {

// Parameter positions, in the order of the C function.
enum : int { kGradOutput, kAlpha, kScale, kInputScale, kIsResult, kSelfOrResult, kGradInput };

// The result may be wider or narrower than the input wherever the input exists.
inline constexpr auto kOutputDTypes =
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64);

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("gradOutput",
                    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes),
                    "gradient of the forward output, any shape"),
    contract::Attribute("alpha", contract::Kind::kScalar,
                        "scale of the exponential branch; >= 0 when isResult is true"),
    contract::Attribute("scale", contract::Kind::kScalar, "scale of both branches"),
    contract::Attribute("inputScale", contract::Kind::kScalar, "scale of the exponent"),
    contract::Attribute("isResult", contract::Kind::kBool,
                        "true: selfOrResult is the forward output; false: the forward input"),
    contract::Input("selfOrResult",
                    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes),
                    "forward input or output, shape and dtype of gradOutput"),
    contract::MayBe(
        contract::Output("gradInput", contract::OnAll(kOutputDTypes), "shape of gradOutput"),
        kGradOutput, kSelfOrResult),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType(
        "same-dtype/selfOrResult", kSelfOrResult, kGradOutput,
        "convert the data of selfOrResult to the dtype of gradOutput before it is copied "
        "to the device, and create the tensor with that dtype"),
    contract::ConvertsToFloat("real/alpha", kAlpha, "pass a real scalar"),
    contract::ConvertsToFloat("real/scale", kScale, "pass a real scalar"),
    contract::ConvertsToFloat("real/inputScale", kInputScale, "pass a real scalar"),
    contract::SameShape("same-shape/selfOrResult", kSelfOrResult, kGradOutput,
                        "pass the tensor that the forward call read (isResult=false) or returned "
                        "(isResult=true)"),
    contract::SameShape("same-shape/gradInput", kGradInput, kGradOutput,
                        "allocate gradInput with the shape of gradOutput"),
    contract::InRangeWhen(
        "alpha-of-result", kAlpha, contract::AtLeastOrNan(0), kIsResult,
        "pass the forward input and isResult=false: the forward map has no inverse otherwise"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnEluBackward",
    .folder = "elu_backward",
    .summary = "Gradient of aclnnElu with respect to its input, from the forward input or output.",
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnEluBackwardGetWorkspaceSize)>(kContract));

}  // namespace aclimb::elu_backward
