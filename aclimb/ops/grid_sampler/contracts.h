#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"

// Elements of images at places that a grid names, and the gradients.
namespace aclimb::grid_sampler {

inline constexpr auto kDTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64);
inline constexpr uint8_t kProducts = kAllProducts & ~Bit(Product::kInference310P);

template <int kInput>
std::optional<std::string> NoElements(const contract::Arguments& arguments) {
  const TensorDescriptor& input = arguments.Tensor(kInput);
  if (input.shape[2] > 0 && input.shape[3] > 0) return std::nullopt;
  return Cat("input.shape is ", contract::ShapeText(input),
             "; expected at least one element in each of the last two dimensions.");
}
template <int kInput>
inline constexpr contract::Rule kImages =
    contract::Custom("images/input", &NoElements<kInput>,
                     "input has elements in its last two dimensions", "pass images with elements");

inline constexpr contract::Parameter kGridParameter = contract::WithShape(
    contract::Input("grid", kDTypes, "places (x, y): -1 and 1 are the ends of an image"),
    "N P Q 2");
inline constexpr contract::Parameter kInterpolationParameter = contract::Attribute(
    "interpolationMode", contract::Kind::kInteger, "0 bilinear, 1 nearest, 2 bicubic");
inline constexpr contract::Parameter kPaddingParameter = contract::Attribute(
    "paddingMode", contract::Kind::kInteger,
    "what is beyond the ends: 0 zeros, 1 the elements at the ends, 2 the image reflected");
inline constexpr contract::Parameter kCornersParameter = contract::Attribute(
    "alignCorners", contract::Kind::kBool,
    "true: the ends are the centers of the outer elements; false: their edges are");

constexpr contract::Rule InterpolationInRange(int parameter) {
  return contract::InRange("range/interpolationMode", parameter, contract::Between(0, 2),
                           "pass 0 for bilinear, 1 for nearest, 2 for bicubic");
}
constexpr contract::Rule PaddingInRange(int parameter) {
  return contract::InRange("range/paddingMode", parameter, contract::Between(0, 2),
                           "pass 0 for zeros, 1 for border, 2 for reflection");
}

namespace forward {

enum : int { kInput, kGrid, kInterpolation, kPadding, kCorners, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(contract::Input("input", kDTypes, "images"), "N C H W"),
    kGridParameter,
    kInterpolationParameter,
    kPaddingParameter,
    kCornersParameter,
    contract::WithShape(contract::Output("out", kDTypes, "what is at the places"), "N C P Q")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/grid", kGrid, kInput, "convert grid to the dtype of input"),
    contract::SameDType("same-dtype/out", kOut, kInput, "create out with the dtype of input"),
    InterpolationInRange(kInterpolation), PaddingInRange(kPadding), kImages<kInput>};
inline constexpr contract::Contract kContract = {
    .function = "aclnnGridSampler2D",
    .folder = "grid_sampler2d",
    .summary = "Elements of images at places that a grid names.",
    .products = kProducts,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnGridSampler2DGetWorkspaceSize)>(kContract));

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

inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(contract::Input("gradOutput", kDTypes, "gradient of the forward result"),
                        "N C P Q"),
    contract::WithShape(contract::Input("input", kDTypes, "images of the forward call"), "N C H W"),
    kGridParameter,
    kInterpolationParameter,
    kPaddingParameter,
    kCornersParameter,
    contract::Attribute("outputMask", contract::Kind::kBoolArray,
                        "whether inputGrad and gridGrad are written"),
    contract::WithShape(contract::Output("inputGrad", kDTypes, "gradient of input"), "N C H W"),
    contract::WithShape(contract::Output("gridGrad", kDTypes, "gradient of grid"), "N P Q 2")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/gradOutput", kGradOutput, kInput,
                        "convert gradOutput to the dtype of input"),
    contract::SameDType("same-dtype/grid", kGrid, kInput, "convert grid to the dtype of input"),
    contract::SameDType("same-dtype/inputGrad", kInputGrad, kInput,
                        "create inputGrad with the dtype of input"),
    contract::SameDType("same-dtype/gridGrad", kGridGrad, kInput,
                        "create gridGrad with the dtype of input"),
    InterpolationInRange(kInterpolation),
    PaddingInRange(kPadding),
    contract::Count("count/outputMask", kMask, contract::Exactly(2),
                    "pass two, for inputGrad and gridGrad"),
    kImages<kInput>};
inline constexpr contract::Contract kContract = {
    .function = "aclnnGridSampler2DBackward",
    .folder = "grid_sampler2d_backward",
    .summary = "Gradients of aclnnGridSampler2D with respect to its images and its grid.",
    .products = kProducts,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnGridSampler2DBackwardGetWorkspaceSize)>(kContract));

}  // namespace backward

}  // namespace aclimb::grid_sampler
