#pragma once

#include "aclimb/ops/pointwise/parameters.h"

// k<Name>Parameters and k<Name>Rules of the gradients.
namespace aclimb::pointwise {

inline constexpr const char* kGradDoc = "gradient of what the forward operator returned";
inline constexpr const char* kInputDoc = "what the forward operator was given";
inline constexpr const char* kOutputDoc = "what the forward operator returned";
inline constexpr const char* kResultDoc = "shape of gradOutput";

inline constexpr const char* kBroadcastDoc = "shape that both broadcast to";

inline constexpr Parameter kThresholdBackwardParameters[] = {
    Input("gradOutput", kThresholdGradientTypes, kGradDoc),
    Input("self", kThresholdGradientTypes, "what the forward operator was given, or returned"),
    Scalar("threshold", "the forward operator's"),
    MayBe(Output("out", kThresholdGradientTypes, kBroadcastDoc), 0, 1)};
inline constexpr Rule kThresholdBackwardRules[] = {
    HasDType("same-dtype/self", 1, 0), HasDType("same-dtype/out", 3, 0),
    IsReal("real/threshold", 2), IsInDType("in-dtype/threshold", 2, 0),
    contract::Broadcasts("broadcasts/out", 3, 0, 1, kAllocate)};

inline constexpr Parameter kGeluBackwardParameters[] = {
    Input("gradOutput", kFloats, kGradDoc), Input("self", kFloats, kInputDoc),
    MayBe(Output("gradInput", kFloats, kBroadcastDoc), 0, 1)};
inline constexpr Rule kGeluBackwardRules[] = {
    contract::Promotes("promotes/gradInput", 0, 1, 2, kConvert),
    contract::Broadcasts("broadcasts/gradInput", 2, 0, 1, kAllocate)};

inline constexpr Parameter kGeluBackwardV2Parameters[] = {
    Input("gradOutput", kFloats, kGradDoc), Input("self", kFloats, kInputDoc),
    Attribute("approximate", Kind::kString, "none: by the error function; tanh: by tanh"),
    MayBe(Output("gradInput", kFloats, kBroadcastDoc), 0, 1)};
inline constexpr Rule kGeluBackwardV2Rules[] = {
    contract::Promotes("promotes/gradInput", 0, 1, 3, kConvert),
    contract::OneOf("one-of/approximate", 2, "none|tanh",
                    "pass the text that the forward call had"),
    contract::Broadcasts("broadcasts/gradInput", 3, 0, 1, kAllocate)};

inline constexpr auto& kMishBackwardParameters = kGeluBackwardParameters;
inline constexpr auto& kMishBackwardRules = kGeluBackwardRules;

inline constexpr Parameter kHardshrinkBackwardParameters[] = {
    Input("gradOutput", kFloats, kGradDoc), Input("self", kFloats, kInputDoc),
    Scalar("lambd", "the forward operator's; below 0 it counts as 0"),
    MayBe(Output("gradInput", kFloats, kBroadcastDoc), 0, 1)};
inline constexpr Rule kHardshrinkBackwardRules[] = {
    HasDType("same-dtype/self", 1, 0), HasDType("same-dtype/gradInput", 3, 0),
    IsReal("real/lambd", 2), contract::Broadcasts("broadcasts/gradInput", 3, 0, 1, kAllocate)};
inline constexpr auto& kSoftshrinkBackwardParameters = kHardshrinkBackwardParameters;
inline constexpr auto& kSoftshrinkBackwardRules = kHardshrinkBackwardRules;

inline constexpr Parameter kTanhBackwardParameters[] = {
    Input("gradOutput", kAllFloats, kGradDoc), Input("output", kAllFloats, kOutputDoc),
    MayBe(Output("gradInput", kAllFloats, kBroadcastDoc), 0, 1)};
inline constexpr Rule kTanhBackwardRules[] = {
    HasDType("same-dtype/output", 1, 0), HasDType("same-dtype/gradInput", 2, 0),
    contract::Broadcasts("broadcasts/gradInput", 2, 0, 1, kAllocate)};

inline constexpr Parameter kSiluBackwardParameters[] = {
    Input("gradOutput", kFloats, kGradDoc), Input("self", kFloats, kInputDoc),
    MayBe(Output("gradInput", kFloats, kResultDoc), 0, 1)};
inline constexpr Rule kSiluBackwardRules[] = {
    HasDType("same-dtype/self", 1, 0), HasDType("same-dtype/gradInput", 2, 0),
    HasShape("same-shape/self", 1, 0), HasShape("same-shape/gradInput", 2, 0)};

inline constexpr Parameter kSoftplusBackwardParameters[] = {
    Input("gradOutput", kAllFloats, kGradDoc), Input("self", kWhereTypes, kInputDoc),
    Scalar("beta", "the forward operator's"), Scalar("threshold", "the forward operator's"),
    MayBe(Output("gradInput", kAllFloats, kResultDoc), 0, 1)};
inline constexpr Rule kSoftplusBackwardRules[] = {
    contract::Promotes("promotes/gradInput", 0, 1, 4, kConvert), IsReal("real/beta", 2),
    IsReal("real/threshold", 3), HasShape("same-shape/self", 1, 0),
    HasShape("same-shape/gradInput", 4, 0)};

inline constexpr Parameter kSigmoidBackwardParameters[] = {
    Input("gradOutput", kAllFloats, kGradDoc), Input("output", kAllFloats, kOutputDoc),
    MayBe(Output("gradInput", kAllFloats, kResultDoc), 0, 1)};
inline constexpr Rule kSigmoidBackwardRules[] = {
    HasDType("same-dtype/output", 1, 0), HasDType("same-dtype/gradInput", 2, 0),
    HasShape("same-shape/output", 1, 0), HasShape("same-shape/gradInput", 2, 0)};

inline constexpr Parameter kLogSigmoidBackwardParameters[] = {
    Input("gradOutput", kFloats, kGradDoc), Input("self", kFloats, kInputDoc),
    Optional(Input("buffer", kFloats, "reserved: of any shape")),
    MayBe(Output("gradInput", kFloats, kResultDoc), 0, 1)};
inline constexpr Rule kLogSigmoidBackwardRules[] = {
    HasDType("same-dtype/self", 1, 0), HasDType("same-dtype/buffer", 2, 0),
    HasDType("same-dtype/gradInput", 3, 0), HasShape("same-shape/self", 1, 0),
    HasShape("same-shape/gradInput", 3, 0)};

inline constexpr Parameter kHardswishBackwardParameters[] = {
    Input("gradOutput", kFloats, kGradDoc), Input("self", kFloats, kInputDoc),
    MayBe(Output("out", kFloats, kResultDoc), 0, 1)};
inline constexpr Rule kHardswishBackwardRules[] = {
    HasDType("same-dtype/self", 1, 0), HasDType("same-dtype/out", 2, 0),
    HasShape("same-shape/self", 1, 0), HasShape("same-shape/out", 2, 0)};

inline constexpr auto& kHardsigmoidBackwardParameters = kHardswishBackwardParameters;
inline constexpr Rule kHardsigmoidBackwardRules[] = {HasShape("same-shape/self", 1, 0),
                                                     HasShape("same-shape/out", 2, 0)};

inline constexpr Parameter kHardtanhBackwardParameters[] = {
    Input("gradOutput", kFloats, kGradDoc), Input("self", kFloats, kInputDoc),
    Scalar("min", "the forward operator's least"), Scalar("max", "the forward operator's most"),
    MayBe(Output("out", kFloats, kResultDoc), 0, 1)};
inline constexpr Rule kHardtanhBackwardRules[] = {HasDType("same-dtype/self", 1, 0),
                                                  HasDType("same-dtype/out", 4, 0),
                                                  IsReal("real/min", 2),
                                                  IsReal("real/max", 3),
                                                  HasShape("same-shape/self", 1, 0),
                                                  HasShape("same-shape/out", 4, 0)};

inline constexpr Parameter kLeakyReluBackwardParameters[] = {
    Input("gradOutput", kAllFloats, kGradDoc),
    Input("self", kAllFloats, "what the forward operator was given, or returned"),
    Scalar("negativeSlope", "the forward operator's; not negative when selfIsResult is true"),
    Attribute("selfIsResult", Kind::kBool, "true: self is what the forward operator returned"),
    MayBe(Output("out", kAllFloats, kResultDoc), 0, 1)};
inline constexpr Rule kLeakyReluBackwardRules[] = {
    IsReal("real/negativeSlope", 2), HasShape("same-shape/self", 1, 0),
    HasShape("same-shape/out", 4, 0),
    contract::InRangeWhen(
        "slope-of-result", 2, contract::AtLeastOrNan(0), 3,
        "pass the forward input and selfIsResult=false: the forward map has no inverse otherwise")};

}  // namespace aclimb::pointwise
