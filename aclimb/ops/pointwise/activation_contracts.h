#pragma once

#include <optional>
#include <string>

#include "aclimb/core/text.h"
#include "aclimb/ops/pointwise/parameters.h"

// k<Name>Parameters and k<Name>Rules of activations with attributes.
namespace aclimb::pointwise {

inline constexpr Parameter kEluParameters[] = {
    Input("self", kAllFloats, "any shape"), Scalar("alpha", "scale of the exponential branch"),
    Scalar("scale", "scale of both branches"), Scalar("inputScale", "scale of the exponent"),
    MayBe(Output("out", kAllFloats, "shape of self"), 0)};
inline constexpr Rule kEluRules[] = {
    IsReal("real/alpha", 1), IsReal("real/scale", 2), IsReal("real/inputScale", 3),
    contract::ConvertsTo("converts/out", 0, 4, "allocate the output with a floating dtype"),
    HasShape("same-shape/out", 4, 0)};
inline constexpr auto kInplaceEluParameters = InPlace(kEluParameters);
inline constexpr auto kInplaceEluRules = First(kEluRules, 3);

inline constexpr Parameter kGeluV2Parameters[] = {
    Input("x", kFloats, "any shape"),
    Attribute("approximate", Kind::kInteger, "0: by the error function; 1: by tanh"),
    MayBe(Output("y", kFloats, "shape and dtype of x"), 0)};
inline constexpr Rule kGeluV2Rules[] = {
    HasDType("same-dtype/y", 2, 0),
    contract::InRange("range/approximate", 1, contract::Between(0, 1),
                      "pass 0 for none, or 1 for tanh"),
    HasShape("same-shape/y", 2, 0)};

inline constexpr Parameter kLeakyReluParameters[] = {
    Input("self", kAllFloats, "any shape"), Scalar("negativeSlope", "factor of what is below 0"),
    MayBe(Output("out", kAllFloats, "shape and dtype of self"), 0)};
inline constexpr Rule kLeakyReluRules[] = {IsReal("real/negativeSlope", 1),
                                           HasDType("same-dtype/out", 2, 0),
                                           HasShape("same-shape/out", 2, 0)};
inline constexpr auto kInplaceLeakyReluParameters = InPlace(kLeakyReluParameters);
inline constexpr auto kInplaceLeakyReluRules = First(kLeakyReluRules, 1);

inline constexpr Parameter kSoftplusParameters[] = {
    Input("self", kFloats, "any shape"), Scalar("beta", "factor of the exponent"),
    Scalar("threshold", "where self * beta is above, out is self"),
    MayBe(Output("out", kFloats, "shape of self"), 0)};
inline constexpr Rule kSoftplusRules[] = {IsReal("real/beta", 1), IsReal("real/threshold", 2),
                                          HasShape("same-shape/out", 3, 0)};

inline constexpr Parameter kCeluParameters[] = {
    Input("self", kFloats, "any shape"),
    Scalar("alpha", "scale of the exponential branch, and divisor of its exponent; not 0"),
    MayBe(Output("out", kFloats, "shape of self"), 0)};
inline std::optional<std::string> NoAlpha(const contract::Arguments& arguments) {
  if (arguments.Scalar(1).ToFloat() != 0) return std::nullopt;
  return Cat("alpha is ", arguments.Scalar(1).Text(), "; expected a number that is not 0.");
}
inline constexpr Rule kCeluRules[] = {
    IsReal("real/alpha", 1),
    contract::Custom("not-0/alpha", &NoAlpha, "alpha is not 0", "pass the forward map's alpha"),
    contract::ConvertsTo("converts/out", 0, 2, "allocate the output with a floating dtype"),
    HasShape("same-shape/out", 2, 0)};
inline constexpr auto kInplaceCeluParameters = InPlace(kCeluParameters);
inline constexpr auto kInplaceCeluRules = First(kCeluRules, 2);

inline constexpr Parameter kHardshrinkParameters[] = {
    Input("self", kFloats, "any shape"),
    Scalar("lambd", "what is not farther from 0 becomes 0; below 0 it counts as 0"),
    MayBe(Output("out", kFloats, "shape and dtype of self"), 0)};
inline constexpr Rule kHardshrinkRules[] = {
    IsReal("real/lambd", 1), HasDType("same-dtype/out", 2, 0), HasShape("same-shape/out", 2, 0)};

inline constexpr Parameter kLogSigmoidParameters[] = {
    Input("self", kFloats, "any shape"),
    MayBe(Output("out", kFloats, "shape and dtype of self"), 0)};
inline constexpr Rule kLogSigmoidRules[] = {HasDType("same-dtype/out", 1, 0),
                                            HasShape("same-shape/out", 1, 0)};
// What a program passes as buffer is reserved, and PyTorch's is empty.
inline constexpr Parameter kLogSigmoidForwardParameters[] = {
    Input("self", kFloats, "any shape"),
    MayBe(Output("out", kFloats, "shape and dtype of self"), 0),
    LeftAlone(Optional(Output("buffer", kAllFloats, "reserved: stays as it is")))};
inline constexpr auto& kLogSigmoidForwardRules = kLogSigmoidRules;

inline constexpr Parameter kRoundDecimalsParameters[] = {
    Input("self", kRoundTypes, "any shape"),
    Attribute("decimals", Kind::kInteger, "digits behind the point that stay, below 0 before it"),
    MayBe(Output("out", kRoundTypes, "shape and dtype of self"), 0)};
inline constexpr Rule kRoundDecimalsRules[] = {HasDType("same-dtype/out", 2, 0),
                                               HasShape("same-shape/out", 2, 0)};
inline constexpr auto kInplaceRoundDecimalsParameters = InPlace(kRoundDecimalsParameters);
inline constexpr auto kInplaceRoundDecimalsRules = First(kRoundDecimalsRules, 0);

inline constexpr Parameter kNanToNumParameters[] = {
    Input("self", kNanToNumTypes, "any shape"), Attribute("nan", Kind::kReal, "in place of NaN"),
    Attribute("posinf", Kind::kReal, "in place of infinity"),
    Attribute("neginf", Kind::kReal, "in place of negative infinity"),
    MayBe(Output("out", kNanToNumTypes, "shape and dtype of self"), 0)};
inline constexpr Rule kNanToNumRules[] = {HasDType("same-dtype/out", 4, 0),
                                          HasShape("same-shape/out", 4, 0)};
inline constexpr auto kInplaceNanToNumParameters = InPlace(kNanToNumParameters);
inline constexpr auto kInplaceNanToNumRules = First(kNanToNumRules, 0);

}  // namespace aclimb::pointwise
