#pragma once

#include "aclimb/ops/pointwise/parameters.h"

// k<Name>Parameters and k<Name>Rules of operators that add products, quotients and distances.
namespace aclimb::pointwise {

inline constexpr const char* kSumDoc = "shape that the others broadcast to";

inline constexpr Parameter kAddcmulParameters[] = {
    Input("self", kAddcmulTypes, "any shape"), Input("tensor1", kAddcmulTypes, "a factor"),
    Input("tensor2", kAddcmulTypes, "the other factor"),
    Scalar("value", "factor of the product; without fraction for integers"),
    MayBe(Output("out", kAddcmulTypes, kSumDoc), 0, 1, 2)};
inline constexpr Rule kFactorInDType =
    contract::InDType("in-dtype/value", 3, 0, 1, 2, "pass a number that the common dtype has");
inline constexpr Rule kAddcmulRules[] = {
    IsReal("real/value", 3), kFactorInDType,
    contract::Promotes("promotes/out", 0, 1, 2, 4, kConvert),
    contract::Broadcasts("broadcasts/out", 4, 0, 1, 2, kAllocate)};
inline constexpr auto kInplaceAddcmulParameters = InPlace(kAddcmulParameters);
inline constexpr Rule kInplaceAddcmulRules[] = {
    IsReal("real/value", 3), kFactorInDType,
    contract::Promotes("promotes/selfRef", 0, 1, 2, 0, kConvert),
    contract::Broadcasts("broadcasts/selfRef", 0, 0, 1, 2, kFits)};

inline constexpr Parameter kAddcdivParameters[] = {
    Input("self", kAddcdivTypes, "any shape"), Input("tensor1", kAddcdivTypes, "the dividend"),
    Input("tensor2", kAddcdivTypes, "the divisor"),
    Scalar("value", "factor of the quotient; without fraction for integers"),
    MayBe(Output("out", kAddcdivTypes, kSumDoc), 0, 1, 2)};
inline constexpr auto& kAddcdivRules = kAddcmulRules;
inline constexpr auto kInplaceAddcdivParameters = InPlace(kAddcdivParameters);
inline constexpr auto& kInplaceAddcdivRules = kInplaceAddcmulRules;

inline constexpr Parameter kLerpParameters[] = {Input("self", kFloats, "result of the weight 0"),
                                                Input("end", kFloats, "result of the weight 1"),
                                                Input("weight", kFloats, "any weights"),
                                                MayBe(Output("out", kFloats, kSumDoc), 0, 1, 2)};
inline constexpr Rule kLerpRules[] = {
    HasDType("same-dtype/end", 1, 0), HasDType("same-dtype/weight", 2, 0),
    HasDType("same-dtype/out", 3, 0),
    contract::Broadcasts("broadcasts/out", 3, 0, 1, 2, kAllocate)};
inline constexpr auto kInplaceLerpParameters = InPlace(kLerpParameters);
inline constexpr Rule kInplaceLerpRules[] = {
    HasDType("same-dtype/end", 1, 0), HasDType("same-dtype/weight", 2, 0),
    contract::Broadcasts("broadcasts/selfRef", 0, 0, 1, 2, kFits)};

inline constexpr Parameter kLerpsParameters[] = {kLerpParameters[0], kLerpParameters[1],
                                                 Scalar("weight", "any weight"),
                                                 MayBe(Output("out", kFloats, kSumDoc), 0, 1)};
inline constexpr Rule kLerpsRules[] = {HasDType("same-dtype/end", 1, 0), IsReal("real/weight", 2),
                                       HasDType("same-dtype/out", 3, 0),
                                       contract::Broadcasts("broadcasts/out", 3, 0, 1, kAllocate)};
inline constexpr auto kInplaceLerpsParameters = InPlace(kLerpsParameters);
inline constexpr Rule kInplaceLerpsRules[] = {
    HasDType("same-dtype/end", 1, 0), IsReal("real/weight", 2),
    contract::Broadcasts("broadcasts/selfRef", 0, 0, 1, kFits)};

}  // namespace aclimb::pointwise
