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

inline Violation GroupsDivide(const contract::Arguments& arguments, const GroupPositions& at) {
  const int64_t channels = arguments.Integer(at.c), groups = arguments.Integer(at.group);
  if (channels % groups == 0) return std::nullopt;
  return Cat("C is ", channels, " and group is ", groups, "; expected a multiple of group.");
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
    contract::SameDTypeOr("dtype/gamma", kGamma, kSelf, contract::DTypes(DType::kFloat32),
                          "convert gamma to one of the two"),
    contract::SameDTypeOr("dtype/beta", kBeta, kSelf, contract::DTypes(DType::kFloat32),
                          "convert beta to one of the two"),
    contract::SameDTypeOr("dtype/meanOut", kMeanOut, kSelf, contract::DTypes(DType::kFloat32),
                          "allocate meanOut with one of the two"),
    contract::Custom("groups", &Divides, "C is a multiple of group",
                     "pass a number of groups that divides the channels"),
    contract::Elements("count/self", kSelf, kN, kC, kHxW, "pass the numbers of self"),
    contract::Elements("count/gamma", kGamma, kC, "pass one weight for each channel"),
    contract::Elements("count/beta", kBeta, kC, "pass one bias for each channel"),
    contract::Elements("count/meanOut", kMeanOut, kN, kGroup,
                       "allocate one number for each group of each sample"),
    contract::Elements("count/rstdOut", kRstdOut, kN, kGroup,
                       "allocate one number for each group of each sample"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnGroupNorm",
    .folder = "group_norm",
    .summary =
        "Group normalization: shifts and scales groups of channels of each sample to mean 0 and "
        "variance 1.",
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
    contract::SameDTypeOr("dtype/mean", kMean, kGradOut, contract::DTypes(DType::kFloat32),
                          "pass what the forward call returned"),
    contract::SameDTypeOr("dtype/gamma", kGamma, kGradOut, contract::DTypes(DType::kFloat32),
                          "convert gamma to one of the two"),
    contract::Custom("groups", &Divides, "C is a multiple of group",
                     "pass a number of groups that divides the channels"),
    contract::Elements("count/gradOut", kGradOut, kN, kC, kHxW, "pass the numbers of gradOut"),
    contract::Elements("count/input", kInput, kN, kC, kHxW, "pass the forward input"),
    contract::Elements("count/mean", kMean, kN, kGroup, "pass what the forward call returned"),
    contract::Elements("count/rstd", kRstd, kN, kGroup, "pass what the forward call returned"),
    contract::Elements("count/gamma", kGamma, kC, "pass one weight for each channel"),
    contract::Elements("count/gradInput", kGradInput, kN, kC, kHxW,
                       "allocate gradInput with the shape of input"),
    contract::Elements("count/gradGammaOut", kGradGamma, kC,
                       "allocate one number for each channel"),
    contract::Elements("count/gradBetaOut", kGradBeta, kC, "allocate one number for each channel"),
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
