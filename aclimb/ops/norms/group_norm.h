#pragma once

#include <algorithm>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/norms/shapes.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_group_norm_backward.h"

// The contracts of aclnnGroupNorm and aclnnGroupNormBackward. Shapes hardly matter: the numbers N,
// C, HxW and group say how many elements there are.
namespace aclimb::norms {

inline constexpr auto kGroupFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

// What both take, at their own positions.
struct GroupPositions {
  int n;
  int c;
  int hxw;
  int group;
};

// a * b, or -1 if that is too large.
inline int64_t ProductOrNone(int64_t a, int64_t b) {
  int64_t product;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

inline Violation GroupsDivide(const contract::Arguments& arguments, const GroupPositions& at) {
  const int64_t channels = arguments.Integer(at.c), groups = arguments.Integer(at.group);
  if (channels % groups == 0) return std::nullopt;
  return Cat("C is ", channels, " and group is ", groups, "; expected a multiple of group.");
}

// The tensor, if it is given, has so many elements.
inline Violation ElementCount(const contract::Arguments& arguments, const Named& tensor,
                              int64_t expected, const std::string& because) {
  if (!arguments.Given(tensor.position)) return std::nullopt;
  if (arguments.Tensor(tensor.position).ElementCount() == expected) return std::nullopt;
  return Cat(ShapeOf(arguments, tensor), " but ", because, "; expected ",
             expected < 0 ? "fewer" : Cat(expected), " elements.");
}
inline Violation WholeCount(const contract::Arguments& arguments, const Named& tensor,
                            const GroupPositions& at) {
  const int64_t n = arguments.Integer(at.n), c = arguments.Integer(at.c);
  const int64_t hxw = arguments.Integer(at.hxw);
  return ElementCount(arguments, tensor, ProductOrNone(ProductOrNone(n, c), hxw),
                      Cat("N is ", n, ", C is ", c, " and HxW is ", hxw));
}
inline Violation GroupCount(const contract::Arguments& arguments, const Named& tensor,
                            const GroupPositions& at) {
  const int64_t n = arguments.Integer(at.n), groups = arguments.Integer(at.group);
  return ElementCount(arguments, tensor, ProductOrNone(n, groups),
                      Cat("N is ", n, " and group is ", groups));
}
inline Violation ChannelCount(const contract::Arguments& arguments, const Named& tensor,
                              const GroupPositions& at) {
  const int64_t c = arguments.Integer(at.c);
  return ElementCount(arguments, tensor, c, Cat("C is ", c));
}

namespace group_norm {

enum : int { kSelf, kGamma, kBeta, kN, kC, kHxW, kGroup, kEps, kOut, kMeanOut, kRstdOut };
inline constexpr GroupPositions kAt = {.n = kN, .c = kC, .hxw = kHxW, .group = kGroup};

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::Input("self", kGroupFloats, "N * C * HxW elements"), 2, 8),
    contract::Optional(contract::WithRank(
        contract::Input("gamma", kGroupFloats, "[C], dtype of self or FLOAT; null means all ones"),
        1, 1)),
    contract::Optional(contract::WithRank(
        contract::Input("beta", kGroupFloats, "[C], dtype of self or FLOAT; null means all zeros"),
        1, 1)),
    contract::Attribute("N", contract::Kind::kInteger, "samples"),
    contract::Attribute("C", contract::Kind::kInteger, "channels, a multiple of group"),
    contract::Attribute("HxW", contract::Kind::kInteger, "elements of a channel of a sample"),
    contract::Attribute("group", contract::Kind::kInteger, "groups of neighbouring channels"),
    contract::Attribute("eps", contract::Kind::kReal, "is added to the variance"),
    contract::MayBe(
        contract::WithRank(contract::Output("out", kGroupFloats, "shape and dtype of self"), 2, 8),
        kSelf),
    contract::Output("meanOut", kGroupFloats,
                     "mean of each group: N * group elements, dtype of self or FLOAT"),
    contract::Output("rstdOut", kGroupFloats,
                     "1 / sqrt(variance + eps) of each group, dtype of meanOut"),
};

inline Violation Divides(const contract::Arguments& arguments) {
  return GroupsDivide(arguments, kAt);
}
inline Violation SelfCount(const contract::Arguments& arguments) {
  return WholeCount(arguments, {kSelf, "self"}, kAt);
}
inline Violation GammaCount(const contract::Arguments& arguments) {
  return ChannelCount(arguments, {kGamma, "gamma"}, kAt);
}
inline Violation BetaCount(const contract::Arguments& arguments) {
  return ChannelCount(arguments, {kBeta, "beta"}, kAt);
}
inline Violation MeanCount(const contract::Arguments& arguments) {
  return GroupCount(arguments, {kMeanOut, "meanOut"}, kAt);
}
inline Violation RstdCount(const contract::Arguments& arguments) {
  return GroupCount(arguments, {kRstdOut, "rstdOut"}, kAt);
}
inline Violation GammaDType(const contract::Arguments& arguments) {
  return DTypeOfInputOrFloat(arguments, {kGamma, "gamma"}, {kSelf, "self"});
}
inline Violation BetaDType(const contract::Arguments& arguments) {
  return DTypeOfInputOrFloat(arguments, {kBeta, "beta"}, {kSelf, "self"});
}
inline Violation MeanDType(const contract::Arguments& arguments) {
  return DTypeOfInputOrFloat(arguments, {kMeanOut, "meanOut"}, {kSelf, "self"});
}

inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/N", kN, contract::AtLeast(0), "pass the number of samples"),
    contract::InRange("range/C", kC, contract::AtLeast(0), "pass the number of channels"),
    contract::InRange("range/HxW", kHxW, contract::AtLeast(0),
                      "pass the elements of a channel of a sample"),
    contract::InRange("range/group", kGroup, contract::AtLeast(1), "pass the number of groups"),
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::SameDType("same-dtype/rstdOut", kRstdOut, kMeanOut,
                        "allocate both statistics with one dtype"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
    contract::Custom("dtype/gamma", &GammaDType, "gamma has the dtype of self, or FLOAT",
                     "convert gamma to one of the two"),
    contract::Custom("dtype/beta", &BetaDType, "beta has the dtype of self, or FLOAT",
                     "convert beta to one of the two"),
    contract::Custom("dtype/meanOut", &MeanDType, "meanOut has the dtype of self, or FLOAT",
                     "allocate meanOut with one of the two"),
    contract::Custom("groups", &Divides, "C is a multiple of group",
                     "pass a number of groups that divides the channels"),
    contract::Custom("count/self", &SelfCount, "self has N * C * HxW elements",
                     "pass the numbers of self"),
    contract::Custom("count/gamma", &GammaCount, "gamma has C elements",
                     "pass one weight for each channel"),
    contract::Custom("count/beta", &BetaCount, "beta has C elements",
                     "pass one bias for each channel"),
    contract::Custom("count/meanOut", &MeanCount, "meanOut has N * group elements",
                     "allocate one number for each group of each sample"),
    contract::Custom("count/rstdOut", &RstdCount, "rstdOut has N * group elements",
                     "allocate one number for each group of each sample"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnGroupNorm",
    .folder = "group_norm",
    .summary = "Shifts and scales groups of channels of each sample to mean 0 and variance 1.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnGroupNormGetWorkspaceSize)>(kContract));

}  // namespace group_norm

namespace group_norm_backward {

enum : int {
  kGradOut,
  kInput,
  kMean,
  kRstd,
  kGamma,
  kN,
  kC,
  kHxW,
  kGroup,
  kOutputMask,
  kGradInput,
  kGradGamma,
  kGradBeta
};
inline constexpr GroupPositions kAt = {.n = kN, .c = kC, .hxw = kHxW, .group = kGroup};

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("gradOut", kGroupFloats,
                    "gradient of the forward output: N * C * HxW elements"),
    contract::Input("input", kGroupFloats, "the forward input, dtype of gradOut"),
    contract::Input("mean", kGroupFloats,
                    "what the forward call returned: N * group elements, dtype of gradOut or "
                    "FLOAT"),
    contract::Input("rstd", kGroupFloats, "what the forward call returned, dtype of mean"),
    contract::Optional(contract::Input("gamma", kGroupFloats,
                                       "C elements, dtype of gradOut or FLOAT; null means all "
                                       "ones")),
    contract::Attribute("N", contract::Kind::kInteger, "samples"),
    contract::Attribute("C", contract::Kind::kInteger, "channels, a multiple of group"),
    contract::Attribute("HxW", contract::Kind::kInteger, "elements of a channel of a sample"),
    contract::Attribute("group", contract::Kind::kInteger, "groups of neighbouring channels"),
    contract::Attribute("outputMask", contract::Kind::kBoolArray,
                        "three flags: which of the outputs to write"),
    contract::Optional(contract::Output("gradInput", kGroupFloats, "as many elements as input")),
    contract::Optional(contract::Output("gradGammaOut", kGroupFloats, "C elements")),
    contract::Optional(contract::Output("gradBetaOut", kGroupFloats, "C elements")),
};

inline Violation Divides(const contract::Arguments& arguments) {
  return GroupsDivide(arguments, kAt);
}
inline Violation GradOutCount(const contract::Arguments& arguments) {
  return WholeCount(arguments, {kGradOut, "gradOut"}, kAt);
}
inline Violation InputCount(const contract::Arguments& arguments) {
  return WholeCount(arguments, {kInput, "input"}, kAt);
}
inline Violation GradInputCount(const contract::Arguments& arguments) {
  return WholeCount(arguments, {kGradInput, "gradInput"}, kAt);
}
inline Violation MeanCount(const contract::Arguments& arguments) {
  return GroupCount(arguments, {kMean, "mean"}, kAt);
}
inline Violation RstdCount(const contract::Arguments& arguments) {
  return GroupCount(arguments, {kRstd, "rstd"}, kAt);
}
inline Violation GammaCount(const contract::Arguments& arguments) {
  return ChannelCount(arguments, {kGamma, "gamma"}, kAt);
}
inline Violation GradGammaCount(const contract::Arguments& arguments) {
  return ChannelCount(arguments, {kGradGamma, "gradGammaOut"}, kAt);
}
inline Violation GradBetaCount(const contract::Arguments& arguments) {
  return ChannelCount(arguments, {kGradBeta, "gradBetaOut"}, kAt);
}
inline Violation MeanDType(const contract::Arguments& arguments) {
  return DTypeOfInputOrFloat(arguments, {kMean, "mean"}, {kGradOut, "gradOut"});
}
inline Violation GammaDType(const contract::Arguments& arguments) {
  return DTypeOfInputOrFloat(arguments, {kGamma, "gamma"}, {kGradOut, "gradOut"});
}

inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/N", kN, contract::AtLeast(0), "pass the number of samples"),
    contract::InRange("range/C", kC, contract::AtLeast(0), "pass the number of channels"),
    contract::InRange("range/HxW", kHxW, contract::AtLeast(0),
                      "pass the elements of a channel of a sample"),
    contract::InRange("range/group", kGroup, contract::AtLeast(1), "pass the number of groups"),
    contract::Count("count/outputMask", kOutputMask, contract::Exactly(3),
                    "pass one flag for each output"),
    contract::Wanted("wanted/gradInput", kGradInput, kOutputMask, 0,
                     "pass the tensor, or set outputMask[0] to false"),
    contract::Wanted("wanted/gradGammaOut", kGradGamma, kOutputMask, 1,
                     "pass the tensor, or set outputMask[1] to false"),
    contract::Wanted("wanted/gradBetaOut", kGradBeta, kOutputMask, 2,
                     "pass the tensor, or set outputMask[2] to false"),
    contract::SameDType("same-dtype/input", kInput, kGradOut, "pass both in one dtype"),
    contract::SameDType("same-dtype/rstd", kRstd, kMean, "pass both in one dtype"),
    contract::Custom("dtype/mean", &MeanDType, "mean has the dtype of gradOut, or FLOAT",
                     "pass what the forward call returned"),
    contract::Custom("dtype/gamma", &GammaDType, "gamma has the dtype of gradOut, or FLOAT",
                     "convert gamma to one of the two"),
    contract::Custom("groups", &Divides, "C is a multiple of group",
                     "pass a number of groups that divides the channels"),
    contract::Custom("count/gradOut", &GradOutCount, "gradOut has N * C * HxW elements",
                     "pass the numbers of gradOut"),
    contract::Custom("count/input", &InputCount, "input has N * C * HxW elements",
                     "pass the forward input"),
    contract::Custom("count/mean", &MeanCount, "mean has N * group elements",
                     "pass what the forward call returned"),
    contract::Custom("count/rstd", &RstdCount, "rstd has N * group elements",
                     "pass what the forward call returned"),
    contract::Custom("count/gamma", &GammaCount, "gamma has C elements",
                     "pass one weight for each channel"),
    contract::Custom("count/gradInput", &GradInputCount, "gradInput has N * C * HxW elements",
                     "allocate gradInput with the shape of input"),
    contract::Custom("count/gradGammaOut", &GradGammaCount, "gradGammaOut has C elements",
                     "allocate one number for each channel"),
    contract::Custom("count/gradBetaOut", &GradBetaCount, "gradBetaOut has C elements",
                     "allocate one number for each channel"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnGroupNormBackward",
    .folder = "group_norm_backward",
    .summary = "Gradients of aclnnGroupNorm with respect to its input, gamma and beta.",
    .products =
        Bit(Product::kTraining910) | Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnGroupNormBackwardGetWorkspaceSize)>(kContract));

}  // namespace group_norm_backward
}  // namespace aclimb::norms
