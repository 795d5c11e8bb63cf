#pragma once

#include <optional>
#include <string>

#include "aclimb/core/codes.h"
#include "aclimb/ops/pointwise/parameters.h"

// k<Name>Parameters and k<Name>Rules of the operators with one input: activations, clamps.
namespace aclimb::pointwise {

inline constexpr Parameter kEluParameters[] = {
    Input("self", kAllFloats, "any shape"), Scalar("alpha", "scale of the exponential branch"),
    Scalar("scale", "scale of both branches"), Scalar("inputScale", "scale of the exponent"),
    Output("out", kAllFloats, "shape of self; may be self itself")};
inline constexpr Rule kEluRules[] = {
    IsReal("real/alpha", 1), IsReal("real/scale", 2), IsReal("real/inputScale", 3),
    contract::ConvertsTo("converts/out", 0, 4, "allocate the output with a floating dtype"),
    HasShape("same-shape/out", 4, 0)};
inline constexpr auto kInplaceEluParameters = InPlace(kEluParameters);
inline constexpr auto kInplaceEluRules = First(kEluRules, 3);

inline constexpr Parameter kGeluV2Parameters[] = {
    Input("x", kFloats, "any shape"),
    Attribute("approximate", Kind::kInteger, "0: by the error function; 1: by tanh"),
    Output("y", kFloats, "shape and dtype of x; may be x itself")};
inline constexpr Rule kGeluV2Rules[] = {
    HasDType("same-dtype/y", 2, 0),
    contract::InRange("range/approximate", 1, contract::Between(0, 1),
                      "pass 0 for none, or 1 for tanh"),
    HasShape("same-shape/y", 2, 0)};

inline constexpr Parameter kLeakyReluParameters[] = {
    Input("self", kAllFloats, "any shape"), Scalar("negativeSlope", "factor of what is below 0"),
    Output("out", kAllFloats, "shape and dtype of self; may be self itself")};
inline constexpr Rule kLeakyReluRules[] = {IsReal("real/negativeSlope", 1),
                                           HasDType("same-dtype/out", 2, 0),
                                           HasShape("same-shape/out", 2, 0)};
inline constexpr auto kInplaceLeakyReluParameters = InPlace(kLeakyReluParameters);
inline constexpr auto kInplaceLeakyReluRules = First(kLeakyReluRules, 1);

inline constexpr Parameter kSoftplusParameters[] = {
    Input("self", kFloats, "any shape"), Scalar("beta", "factor of the exponent"),
    Scalar("threshold", "where self * beta is above, out is self"),
    Output("out", kFloats, "shape of self; may be self itself")};
inline constexpr Rule kSoftplusRules[] = {IsReal("real/beta", 1), IsReal("real/threshold", 2),
                                          HasShape("same-shape/out", 3, 0)};

inline constexpr Parameter kThresholdParameters[] = {
    Input("self", kNumbersWithoutDouble, "any shape"),
    Scalar("threshold", "what is above stays; in the dtype of self, without fraction for integers"),
    Scalar("value", "what the others become; in the dtype of self"),
    Output("out", kNumbersWithoutDouble, "shape of self; may be self itself")};
inline constexpr Rule kThresholdRules[] = {
    IsReal("real/threshold", 1), IsReal("real/value", 2),
    contract::ConvertsTo("converts/out", 0, 3, "allocate the output with the dtype of self"),
    HasShape("same-shape/out", 3, 0)};
inline constexpr auto kInplaceThresholdParameters = InPlace(kThresholdParameters);
inline constexpr auto kInplaceThresholdRules = First(kThresholdRules, 2);

inline constexpr const char* kLeastDoc = "the least; in the dtype of self";
inline constexpr const char* kMostDoc = "the most; in the dtype of self";
inline constexpr const char* kClampedDoc = "shape and dtype of self; may be self itself";

inline constexpr Parameter kClampParameters[] = {
    Input("self", kNumbers, "any shape"),
    Optional(Scalar("clipValueMin", "the least, in the dtype of self; null: no lower bound")),
    Optional(Scalar("clipValueMax", "the most, in the dtype of self; null: no upper bound")),
    Output("out", kNumbers, kClampedDoc)};
inline std::optional<std::string> NoBound(const contract::Arguments& arguments) {
  if (arguments.Given(1) || arguments.Given(2)) return std::nullopt;
  return "clipValueMin and clipValueMax are null; expected at least one bound.";
}
inline constexpr Rule kClampRules[] = {
    contract::Custom("a-bound", &NoBound, "clipValueMin or clipValueMax is given",
                     "pass a lower bound, an upper bound, or both", kAclnnNullptr),
    IsReal("real/clipValueMin", 1), IsReal("real/clipValueMax", 2),
    HasDType("same-dtype/out", 3, 0), HasShape("same-shape/out", 3, 0)};

inline constexpr Parameter kClampMinParameters[] = {Input("self", kNumbers, "any shape"),
                                                    Scalar("clipValueMin", kLeastDoc),
                                                    Output("out", kNumbers, kClampedDoc)};
inline constexpr Rule kClampMinRules[] = {IsReal("real/clipValueMin", 1),
                                          HasDType("same-dtype/out", 2, 0),
                                          HasShape("same-shape/out", 2, 0)};

inline constexpr Parameter kClampMaxParameters[] = {Input("self", kNumbers, "any shape"),
                                                    Scalar("clipValueMax", kMostDoc),
                                                    Output("out", kNumbers, kClampedDoc)};
inline constexpr Rule kClampMaxRules[] = {IsReal("real/clipValueMax", 1),
                                          HasDType("same-dtype/out", 2, 0),
                                          HasShape("same-shape/out", 2, 0)};
inline constexpr auto kInplaceClampMaxParameters = InPlace(kClampMaxParameters);
inline constexpr auto kInplaceClampMaxRules = First(kClampMaxRules, 1);

inline constexpr Parameter kHardtanhParameters[] = {
    Input("self", kNumbers, "any shape"), Scalar("clipValueMin", kLeastDoc),
    Scalar("clipValueMax", kMostDoc), Output("out", kNumbers, kClampedDoc)};
inline constexpr Rule kHardtanhRules[] = {
    IsReal("real/clipValueMin", 1), IsReal("real/clipValueMax", 2),
    HasDType("same-dtype/out", 3, 0), HasShape("same-shape/out", 3, 0)};
inline constexpr auto kInplaceHardtanhParameters = InPlace(kHardtanhParameters);
inline constexpr auto kInplaceHardtanhRules = First(kHardtanhRules, 2);

}  // namespace aclimb::pointwise
