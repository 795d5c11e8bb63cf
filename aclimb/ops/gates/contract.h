#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/reduced.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/dimensions.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_v3.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"

// The contracts of operators whose input is cut into two halves along a dimension.
namespace aclimb::gates {

using Finding = std::optional<std::string>;
using contract::Arguments;

inline constexpr auto kFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);
inline constexpr auto kFloatsAndDouble =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64);

constexpr contract::Parameter Ranked(contract::Parameter parameter) {
  return contract::WithRank(parameter, 1, 8);
}
constexpr contract::Parameter DimOf(const char* name) {
  return contract::Attribute(name, contract::Kind::kInteger,
                             "which dimension is halved, -1 the last");
}

// A tensor parameter, and its name for messages.
struct Named {
  int place;
  const char* name;
};
// The tensor that is cut, and along what.
struct Cut {
  Named whole, dim;
};

inline std::string CutText(const Arguments& arguments, const Cut& cut) {
  return Cat(cut.whole.name, ".shape is ", contract::ShapeText(arguments.Tensor(cut.whole.place)),
             " and ", cut.dim.name, " is ", arguments.Integer(cut.dim.place));
}
inline Finding Odd(const Arguments& arguments, const Cut& cut) {
  const TensorDescriptor& whole = arguments.Tensor(cut.whole.place);
  const size_t d = WrapDimension(arguments.Integer(cut.dim.place), whole.shape.size());
  if (whole.shape[d] % 2 == 0) return std::nullopt;
  return Cat(CutText(arguments, cut), "; expected an even extent there.");
}
inline Finding NoHalf(const Arguments& arguments, const Cut& cut, const Named& half) {
  std::vector<int64_t> expected = arguments.Tensor(cut.whole.place).shape;
  expected[WrapDimension(arguments.Integer(cut.dim.place), expected.size())] /= 2;
  const TensorDescriptor& got = arguments.Tensor(half.place);
  if (got.shape == expected) return std::nullopt;
  return Cat(half.name, ".shape is ", contract::ShapeText(got), ", ", CutText(arguments, cut),
             "; expected ", aclimb::ShapeText(expected.data(), expected.size()), ".");
}

template <const Cut& kCut>
Finding OddRule(const Arguments& arguments) {
  return Odd(arguments, kCut);
}
template <const Cut& kCut, const Named& kHalf>
Finding HalfRule(const Arguments& arguments) {
  return NoHalf(arguments, kCut, kHalf);
}

namespace swi_glu {

enum : int { kX, kDim, kOut };

inline constexpr contract::Parameter kParameters[] = {
    Ranked(contract::Input("x", kFloats, "halves a and b")),
    DimOf("dimOptional"),
    Ranked(contract::Output("out", kFloats, "shape of a half, dtype of x")),
};
inline constexpr Cut kCut = {{kX, "x"}, {kDim, "dimOptional"}};
inline constexpr Named kHalf = {kOut, "out"};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kX, "allocate out with the dtype of x"),
    contract::InRange("range/dimOptional", kDim, contract::DimensionOf(kX),
                      "name a dimension of x"),
    contract::Custom("even/x", &OddRule<kCut>, "the extent of x along dimOptional is even",
                     "pass two halves"),
    contract::Custom("shape/out", &HalfRule<kCut, kHalf>,
                     "out has the shape of x with half of its extent along dimOptional",
                     "allocate out with this shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSwiGlu",
    .folder = "swi_glu",
    .summary = "SwiGLU, a gated linear unit: silu(a) * b for the halves a and b of a tensor.",
    .products = kAllProducts & ~Bit(Product::kTraining910),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnSwiGluGetWorkspaceSize)>(kContract));

}  // namespace swi_glu

namespace swi_glu_grad {

enum : int { kGrad, kX, kDim, kOut };

inline constexpr contract::Parameter kParameters[] = {
    Ranked(contract::Input("yGrad", kFloats, "gradient of the forward result")),
    Ranked(contract::Input("x", kFloats, "the forward input")),
    DimOf("dimOptional"),
    Ranked(contract::Output("out", kFloats, "shape and dtype of x")),
};
inline constexpr Cut kCut = {{kX, "x"}, {kDim, "dimOptional"}};
inline constexpr Named kHalf = {kGrad, "yGrad"};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/yGrad", kGrad, kX, "pass both in one dtype"),
    contract::SameDType("same-dtype/out", kOut, kX, "allocate out with the dtype of x"),
    contract::InRange("range/dimOptional", kDim, contract::DimensionOf(kX),
                      "name a dimension of x"),
    contract::Custom("even/x", &OddRule<kCut>, "the extent of x along dimOptional is even",
                     "pass two halves"),
    contract::Custom("shape/yGrad", &HalfRule<kCut, kHalf>,
                     "yGrad has the shape of x with half of its extent along dimOptional",
                     "pass the gradient of the forward result"),
    contract::SameShape("same-shape/out", kOut, kX, "allocate out with the shape of x"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSwiGluGrad",
    .folder = "swi_glu_grad",
    .summary = "Gradient of aclnnSwiGlu.",
    .products = kAllProducts & ~Bit(Product::kTraining910),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnSwiGluGradGetWorkspaceSize)>(kContract));

}  // namespace swi_glu_grad

namespace glu {

enum : int { kSelf, kDim, kOut };

inline constexpr contract::Parameter kParameters[] = {
    Ranked(contract::Input("self", kFloatsAndDouble, "halves a and b")),
    DimOf("dim"),
    Ranked(contract::Output("out", kFloatsAndDouble, "shape of a half")),
};
inline constexpr Cut kCut = {{kSelf, "self"}, {kDim, "dim"}};
inline constexpr Named kHalf = {kOut, "out"};
inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "name a dimension of self"),
    contract::Custom("even/self", &OddRule<kCut>, "the extent of self along dim is even",
                     "pass two halves"),
    contract::Custom("shape/out", &HalfRule<kCut, kHalf>,
                     "out has the shape of self with half of its extent along dim",
                     "allocate out with this shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnGlu",
    .folder = "glu",
    .summary = "Gated linear unit (GLU): a * sigmoid(b) for the halves a and b of a tensor.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnGluGetWorkspaceSize)>(kContract));

}  // namespace glu

namespace glu_backward {

enum : int { kGrad, kSelf, kDim, kOut };

inline constexpr contract::Parameter kParameters[] = {
    Ranked(contract::Input("gradOut", kFloatsAndDouble, "gradient of the forward result")),
    Ranked(contract::Input("self", kFloatsAndDouble, "the forward input")),
    DimOf("dim"),
    Ranked(contract::Output("out", kFloatsAndDouble, "shape and dtype of self")),
};
inline constexpr Cut kCut = {{kSelf, "self"}, {kDim, "dim"}};
inline constexpr Named kHalf = {kGrad, "gradOut"};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/gradOut", kGrad, kSelf, "pass both in one dtype"),
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "name a dimension of self"),
    contract::Custom("even/self", &OddRule<kCut>, "the extent of self along dim is even",
                     "pass two halves"),
    contract::Custom("shape/gradOut", &HalfRule<kCut, kHalf>,
                     "gradOut has the shape of self with half of its extent along dim",
                     "pass the gradient of the forward result"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnGluBackward",
    .folder = "glu_backward",
    .summary = "Gradient of aclnnGlu.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnGluBackwardGetWorkspaceSize)>(kContract));

}  // namespace glu_backward

constexpr contract::Parameter ApproximateOf() {
  return contract::Attribute("approximate", contract::Kind::kInteger,
                             "0: gelu by the error function, 1: by tanh");
}

namespace ge_glu {

enum : int { kSelf, kDim, kApproximate, kOut, kOutGelu };

inline constexpr contract::Parameter kParameters[] = {
    Ranked(contract::Input("self", kFloats, "halves a and b")),
    DimOf("dim"),
    ApproximateOf(),
    Ranked(contract::Output("out", kFloats, "a * gelu(b): shape of a half, dtype of self")),
    Ranked(contract::Output("outGelu", kFloats, "gelu(b): shape of a half, dtype of self")),
};
inline constexpr Cut kCut = {{kSelf, "self"}, {kDim, "dim"}};
inline constexpr Named kHalf = {kOut, "out"};
inline constexpr Named kOtherHalf = {kOutGelu, "outGelu"};

// For both forms, whose positions differ after approximate.
template <const Cut& kOf, const Named& kFirst, const Named& kSecond>
struct Rules {
  static constexpr contract::Rule kAll[] = {
      contract::SameDType("same-dtype/out", kFirst.place, kOf.whole.place,
                          "allocate out with the dtype of self"),
      contract::SameDType("same-dtype/outGelu", kSecond.place, kOf.whole.place,
                          "allocate outGelu with the dtype of self"),
      contract::InRange("range/dim", kOf.dim.place, contract::DimensionOf(kOf.whole.place),
                        "name a dimension of self"),
      contract::InRange("range/approximate", kApproximate, contract::Between(0, 1), "pass 0 or 1"),
      contract::Custom("even/self", &OddRule<kOf>, "the extent of self along dim is even",
                       "pass two halves"),
      contract::Custom("shape/out", &HalfRule<kOf, kFirst>,
                       "out has the shape of self with half of its extent along dim",
                       "allocate out with this shape"),
      contract::Custom("shape/outGelu", &HalfRule<kOf, kSecond>,
                       "outGelu has the shape of self with half of its extent along dim",
                       "allocate outGelu with this shape"),
  };
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnGeGlu",
    .folder = "ge_glu",
    .summary =
        "GeGLU, a gated linear unit: a * gelu(b) for the halves a and b of a tensor, and gelu(b).",
    .parameters = kParameters,
    .rules = Rules<kCut, kHalf, kOtherHalf>::kAll,
};
static_assert(contract::Matches<decltype(aclnnGeGluGetWorkspaceSize)>(kContract));

}  // namespace ge_glu

namespace ge_glu_v3 {

enum : int { kSelf, kDim, kApproximate, kActivateLeft, kOut, kOutGelu };

inline constexpr contract::Parameter kParameters[] = {
    Ranked(contract::Input("self", kFloats, "halves a and b")),
    DimOf("dim"),
    ApproximateOf(),
    contract::Attribute("activateLeft", contract::Kind::kBool, "whether gelu takes a, not b"),
    Ranked(contract::Output("out", kFloats, "the product: shape of a half, dtype of self")),
    Ranked(contract::Output("outGelu", kFloats, "what gelu gives: shape of a half, dtype of self")),
};
inline constexpr Cut kCut = {{kSelf, "self"}, {kDim, "dim"}};
inline constexpr Named kHalf = {kOut, "out"};
inline constexpr Named kOtherHalf = {kOutGelu, "outGelu"};
inline constexpr contract::Contract kContract = {
    .function = "aclnnGeGluV3",
    .folder = "ge_glu_v3",
    .summary = "aclnnGeGlu, which can take gelu of the first half instead.",
    .parameters = kParameters,
    .rules = ge_glu::Rules<kCut, kHalf, kOtherHalf>::kAll,
};
static_assert(contract::Matches<decltype(aclnnGeGluV3GetWorkspaceSize)>(kContract));

}  // namespace ge_glu_v3
}  // namespace aclimb::gates
