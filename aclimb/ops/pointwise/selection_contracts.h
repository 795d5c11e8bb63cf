#pragma once

#include <optional>
#include <string>

#include "aclimb/core/codes.h"
#include "aclimb/ops/pointwise/parameters.h"

// k<Name>Parameters and k<Name>Rules of operators that choose among numbers.
namespace aclimb::pointwise {

inline constexpr Parameter kThresholdParameters[] = {
    Input("self", kNumbersWithoutDouble, "any shape"),
    Scalar("threshold", "what is above stays; in the dtype of self, without fraction for integers"),
    Scalar("value", "what the others become; in the dtype of self"),
    MayBe(Output("out", kNumbersWithoutDouble, "shape of self"), 0)};
inline constexpr Rule kThresholdRules[] = {
    IsReal("real/threshold", 1),
    IsReal("real/value", 2),
    IsInDType("in-dtype/threshold", 1, 0),
    IsInDType("in-dtype/value", 2, 0),
    contract::ConvertsTo("converts/out", 0, 3, "allocate the output with the dtype of self"),
    HasShape("same-shape/out", 3, 0)};
inline constexpr auto kInplaceThresholdParameters = InPlace(kThresholdParameters);
inline constexpr auto kInplaceThresholdRules = First(kThresholdRules, 4);

inline constexpr const char* kLeastDoc =
    "the least; in the dtype of self, where an integer below 0 wraps if that is UINT8";
inline constexpr const char* kMostDoc =
    "the most; in the dtype of self, where an integer below 0 wraps if that is UINT8";
inline constexpr Parameter kClamped = MayBe(Output("out", kNumbers, "shape and dtype of self"), 0);

inline constexpr Parameter kClampParameters[] = {
    Input("self", kNumbers, "any shape"),
    Optional(Scalar("clipValueMin", "the least, in the dtype of self; null: no lower bound")),
    Optional(Scalar("clipValueMax", "the most, in the dtype of self; null: no upper bound")),
    kClamped};
inline std::optional<std::string> NoBound(const contract::Arguments& arguments) {
  if (arguments.Given(1) || arguments.Given(2)) return std::nullopt;
  return "clipValueMin and clipValueMax are null; expected at least one bound.";
}
inline constexpr Rule kClampRules[] = {
    contract::Custom("a-bound", &NoBound, "clipValueMin or clipValueMax is given",
                     "pass a lower bound, an upper bound, or both", kAclnnNullptr),
    IsReal("real/clipValueMin", 1),
    IsReal("real/clipValueMax", 2),
    IsBoundInDType("in-dtype/clipValueMin", 1, 0),
    IsBoundInDType("in-dtype/clipValueMax", 2, 0),
    HasDType("same-dtype/out", 3, 0),
    HasShape("same-shape/out", 3, 0)};

inline constexpr Parameter kClampMinParameters[] = {Input("self", kNumbers, "any shape"),
                                                    Scalar("clipValueMin", kLeastDoc), kClamped};
inline constexpr Rule kClampMinRules[] = {
    IsReal("real/clipValueMin", 1), IsBoundInDType("in-dtype/clipValueMin", 1, 0),
    HasDType("same-dtype/out", 2, 0), HasShape("same-shape/out", 2, 0)};

inline constexpr Parameter kClampMaxParameters[] = {Input("self", kNumbers, "any shape"),
                                                    Scalar("clipValueMax", kMostDoc), kClamped};
inline constexpr Rule kClampMaxRules[] = {
    IsReal("real/clipValueMax", 1), IsBoundInDType("in-dtype/clipValueMax", 1, 0),
    HasDType("same-dtype/out", 2, 0), HasShape("same-shape/out", 2, 0)};
inline constexpr auto kInplaceClampMaxParameters = InPlace(kClampMaxParameters);
inline constexpr auto kInplaceClampMaxRules = First(kClampMaxRules, 2);

inline constexpr Parameter kHardtanhParameters[] = {Input("self", kNumbers, "any shape"),
                                                    Scalar("clipValueMin", kLeastDoc),
                                                    Scalar("clipValueMax", kMostDoc), kClamped};
inline constexpr Rule kHardtanhRules[] = {
    IsReal("real/clipValueMin", 1),           IsReal("real/clipValueMax", 2),
    IsInDType("in-dtype/clipValueMin", 1, 0), IsInDType("in-dtype/clipValueMax", 2, 0),
    HasDType("same-dtype/out", 3, 0),         HasShape("same-shape/out", 3, 0)};
inline constexpr auto kInplaceHardtanhParameters = InPlace(kHardtanhParameters);
inline constexpr auto kInplaceHardtanhRules = First(kHardtanhRules, 4);

inline constexpr Parameter kClampTensorParameters[] = {
    Input("self", kNumbers, "any shape"),
    Optional(Input("clipValueMin", kNumbers, "the least; null: no lower bound")),
    Optional(Input("clipValueMax", kNumbers, "the most; null: no upper bound")),
    MayBe(Output("out", kNumbers, "shape that the others broadcast to"), 0, 1, 2)};
inline constexpr Rule kClampTensorRules[] = {
    kClampRules[0], contract::Promotes("promotes/out", 0, 1, 2, 3, kConvert),
    contract::Broadcasts("broadcasts/out", 3, 0, 1, 2, kAllocate)};

inline constexpr Parameter kClampMinTensorParameters[] = {
    Input("self", kNumbers, "any shape"), Input("clipValueMin", kNumbers, "the least"),
    MayBe(Output("out", kNumbers, "shape that the others broadcast to, dtype of self"), 0, 1)};
inline constexpr Rule kClampMinTensorRules[] = {
    HasDType("same-dtype/out", 2, 0), contract::Promotes("promotes/out", 0, 1, 2, kConvert),
    contract::Broadcasts("broadcasts/out", 2, 0, 1, kAllocate)};
inline constexpr auto kInplaceClampMinTensorParameters = InPlace(kClampMinTensorParameters);
inline constexpr Rule kInplaceClampMinTensorRules[] = {
    contract::Promotes("promotes/selfRef", 0, 1, 0, kConvert),
    contract::Broadcasts("broadcasts/selfRef", 0, 0, 1, kFits)};

inline constexpr Parameter kClampMaxTensorParameters[] = {
    kClampMinTensorParameters[0], Input("max", kNumbers, "the most"), kClampMinTensorParameters[2]};
inline constexpr auto& kClampMaxTensorRules = kClampMinTensorRules;
inline constexpr auto kInplaceClampMaxTensorParameters = InPlace(kClampMaxTensorParameters);
inline constexpr auto& kInplaceClampMaxTensorRules = kInplaceClampMinTensorRules;

inline constexpr Parameter kSWhereParameters[] = {
    Input("condition", kConditions, "what is not 0 chooses self"),
    Input("self", kWhereTypes, "chosen where the condition holds"),
    Input("other", kWhereTypes, "chosen elsewhere"),
    MayBe(Output("out", kWhereTypes, "shape that the others broadcast to"), 0, 1, 2)};
inline constexpr Rule kSWhereRules[] = {
    contract::Promotes("promotes/out", 1, 2, 3, kConvert),
    contract::Broadcasts("broadcasts/out", 3, 0, 1, 2, kAllocate)};

inline constexpr Parameter kInplaceMaskedFillScalarParameters[] = {
    MayBe(contract::InOut("selfRef", kMaskedFillTypes, "any shape"), 1),
    Input("mask", kMask, "what is true is filled; broadcasts to selfRef"),
    Scalar("value", "what is filled in, in the dtype of selfRef")};
inline constexpr Rule kInplaceMaskedFillScalarRules[] = {
    IsReal("real/value", 2), IsInDType("in-dtype/value", 2, 0),
    contract::Broadcasts("broadcasts/selfRef", 0, 0, 1, kFits)};

inline constexpr Parameter kInplaceMaskedFillTensorParameters[] = {
    MayBe(contract::InOut("selfRef", kMaskedFillTypes, "any shape"), 1),
    Input("mask", kMask, "what is true is filled; broadcasts to selfRef"),
    contract::WithRank(Input("value", kMaskedFillTypes, "what is filled in"), 0, 0)};
inline constexpr Rule kInplaceMaskedFillTensorRules[] = {
    contract::ConvertsTo("converts/value", 2, 0, "create the value with the dtype of selfRef"),
    contract::Broadcasts("broadcasts/selfRef", 0, 0, 1, kFits)};

}  // namespace aclimb::pointwise
