#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"

// Elements of images, or of volumes, at places that a grid names, and the gradients. kDims is 2 or
// 3 of those.
namespace aclimb::grid_sampler {

inline constexpr auto kDTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64);
inline constexpr uint8_t kProducts = kAllProducts & ~Bit(Product::kInference310P);

template <int kInput>
std::optional<std::string> NoElements(const contract::Arguments& arguments) {
  const TensorDescriptor& input = arguments.Tensor(kInput);
  if (std::all_of(input.shape.begin() + 2, input.shape.end(),
                  [](int64_t extent) { return extent > 0; })) {
    return std::nullopt;
  }
  return Cat("input.shape is ", contract::ShapeText(input),
             "; expected at least one element in each dimension behind N and C.");
}
template <int kInput>
inline constexpr contract::Rule kImages = contract::Custom(
    "images/input", &NoElements<kInput>, "input has elements in the dimensions behind N and C",
    "pass images with elements");

template <int kDims>
constexpr contract::Parameter OfInput(contract::Parameter parameter) {
  if constexpr (kDims == 2) return contract::WithShape(parameter, "N C H W");
  return contract::WithShape(parameter, "N C D H W");
}
template <int kDims>
constexpr contract::Parameter OfGrid(contract::Parameter parameter) {
  if constexpr (kDims == 2) return contract::WithShape(parameter, "N P Q 2");
  return contract::WithShape(parameter, "N O P Q 3");
}
template <int kDims>
constexpr contract::Parameter OfResult(contract::Parameter parameter) {
  if constexpr (kDims == 2) return contract::WithShape(parameter, "N C P Q");
  return contract::WithShape(parameter, "N C O P Q");
}

template <int kDims>
inline constexpr contract::Parameter kGridParameter = OfGrid<kDims>(contract::Input(
    "grid", kDTypes,
    kDims == 2 ? "places (x, y): -1 and 1 are the ends of an image"
               : "places (x, y, z): -1 and 1 are the ends of a volume, of which x is the last "
                 "dimension"));
template <int kDims>
inline constexpr contract::Parameter kInterpolationParameter =
    contract::Attribute("interpolationMode", contract::Kind::kInteger,
                        kDims == 2 ? "0 bilinear, 1 nearest, 2 bicubic" : "0 linear, 1 nearest");
inline constexpr contract::Parameter kPaddingParameter = contract::Attribute(
    "paddingMode", contract::Kind::kInteger,
    "what is beyond the ends: 0 zeros, 1 the elements at the ends, 2 the image reflected");
inline constexpr contract::Parameter kCornersParameter = contract::Attribute(
    "alignCorners", contract::Kind::kBool,
    "true: the ends are the centers of the outer elements; false: their edges are");

template <int kDims>
constexpr contract::Rule InterpolationInRange(int parameter) {
  return contract::InRange("range/interpolationMode", parameter,
                           contract::Between(0, kDims == 2 ? 2 : 1),
                           kDims == 2 ? "pass 0 for bilinear, 1 for nearest, 2 for bicubic"
                                      : "pass 0 for linear, 1 for nearest");
}
constexpr contract::Rule PaddingInRange(int parameter) {
  return contract::InRange("range/paddingMode", parameter, contract::Between(0, 2),
                           "pass 0 for zeros, 1 for border, 2 for reflection");
}

namespace forward {

enum : int { kInput, kGrid, kInterpolation, kPadding, kCorners, kOut };

template <int kDims>
inline constexpr contract::Parameter kParameters[] = {
    OfInput<kDims>(contract::Input("input", kDTypes, "images")),
    kGridParameter<kDims>,
    kInterpolationParameter<kDims>,
    kPaddingParameter,
    kCornersParameter,
    OfResult<kDims>(contract::Output("out", kDTypes, "what is at the places"))};
template <int kDims>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/grid", kGrid, kInput, "convert grid to the dtype of input"),
    contract::SameDType("same-dtype/out", kOut, kInput, "create out with the dtype of input"),
    InterpolationInRange<kDims>(kInterpolation), PaddingInRange(kPadding), kImages<kInput>};
inline constexpr contract::Contract kContract2d = {
    .function = "aclnnGridSampler2D",
    .folder = "grid_sampler2d",
    .summary = "Samples images at the places of a grid (torch.nn.functional.grid_sample).",
    .products = kProducts,
    .parameters = kParameters<2>,
    .rules = kRules<2>};
static_assert(contract::Matches<decltype(aclnnGridSampler2DGetWorkspaceSize)>(kContract2d));
inline constexpr contract::Contract kContract3d = {
    .function = "aclnnGridSampler3D",
    .folder = "grid_sampler3d",
    .summary = "Samples volumes at the places of a grid (torch.nn.functional.grid_sample).",
    .products = kProducts,
    .parameters = kParameters<3>,
    .rules = kRules<3>};
static_assert(contract::Matches<decltype(aclnnGridSampler3DGetWorkspaceSize)>(kContract3d));

}  // namespace forward

namespace backward {

enum : int {
  kGradOutput,
  kInput,
  kGrid,
  kInterpolation,
  kPadding,
  kCorners,
  kMask,
  kInputGrad,
  kGridGrad
};

template <int kDims>
inline constexpr contract::Parameter kParameters[] = {
    OfResult<kDims>(contract::Input("gradOutput", kDTypes, "gradient of the forward result")),
    OfInput<kDims>(contract::Input("input", kDTypes, "images of the forward call")),
    kGridParameter<kDims>,
    kInterpolationParameter<kDims>,
    kPaddingParameter,
    kCornersParameter,
    contract::Attribute("outputMask", contract::Kind::kBoolArray,
                        "whether inputGrad and gridGrad are written"),
    OfInput<kDims>(contract::Output("inputGrad", kDTypes, "gradient of input")),
    OfGrid<kDims>(contract::Output("gridGrad", kDTypes, "gradient of grid"))};
template <int kDims>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/gradOutput", kGradOutput, kInput,
                        "convert gradOutput to the dtype of input"),
    contract::SameDType("same-dtype/grid", kGrid, kInput, "convert grid to the dtype of input"),
    contract::SameDType("same-dtype/inputGrad", kInputGrad, kInput,
                        "create inputGrad with the dtype of input"),
    contract::SameDType("same-dtype/gridGrad", kGridGrad, kInput,
                        "create gridGrad with the dtype of input"),
    InterpolationInRange<kDims>(kInterpolation),
    PaddingInRange(kPadding),
    contract::Count("count/outputMask", kMask, contract::Exactly(2),
                    "pass two, for inputGrad and gridGrad"),
    kImages<kInput>};
inline constexpr contract::Contract kContract2d = {
    .function = "aclnnGridSampler2DBackward",
    .folder = "grid_sampler2d_backward",
    .summary = "Gradients of aclnnGridSampler2D with respect to its images and its grid.",
    .products = kProducts,
    .parameters = kParameters<2>,
    .rules = kRules<2>};
static_assert(contract::Matches<decltype(aclnnGridSampler2DBackwardGetWorkspaceSize)>(kContract2d));
inline constexpr contract::Contract kContract3d = {
    .function = "aclnnGridSampler3DBackward",
    .folder = "grid_sampler3d_backward",
    .summary = "Gradients of aclnnGridSampler3D with respect to its volumes and its grid.",
    .products = kProducts,
    .parameters = kParameters<3>,
    .rules = kRules<3>};
static_assert(contract::Matches<decltype(aclnnGridSampler3DBackwardGetWorkspaceSize)>(kContract3d));

}  // namespace backward

}  // namespace aclimb::grid_sampler
