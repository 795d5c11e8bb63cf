#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/upsample/scales.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_linear_1d.h"
#include "aclnnop/aclnn_upsample_linear_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_1d.h"
#include "aclnnop/aclnn_upsample_nearest_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"

// Images in another size, rows of images too, and the gradients. kDims is 3, 2 or 1 of those.
namespace aclimb::upsample {

using contract::Arguments;
using contract::Kind;
using Finding = std::optional<std::string>;

template <int kDims>
inline constexpr auto kFormats = contract::Formats(kDims == 3   ? contract::kNcdhw
                                                   : kDims == 2 ? contract::kNchw
                                                                : contract::kNcl,
                                                   contract::kNd);
// The shape of images.
template <int kDims>
constexpr contract::Parameter WithImages(contract::Parameter parameter, const char* fix = "") {
  if constexpr (kDims == 3) {
    return contract::WithShape(parameter, "N C D H W", fix);
  } else if constexpr (kDims == 2) {
    return contract::WithShape(parameter, "N C H W", fix);
  } else {
    return contract::WithShape(parameter, "N C L", fix);
  }
}
template <int kDims>
constexpr contract::Parameter Images(contract::Parameter parameter) {
  return contract::WithFormats(WithImages<kDims>(parameter), kFormats<kDims>);
}
template <int kDims>
constexpr contract::Parameter Resized(contract::Parameter parameter, const char* fix) {
  return contract::WithFormats(
      contract::WithRank(contract::WithShape(parameter, "N C outputSize...", fix), kDims + 2,
                         kDims + 2),
      kFormats<kDims>);
}

// What forward functions read and write.
template <int kDims>
constexpr contract::Parameter Self(contract::ProductDTypes dtypes) {
  return Images<kDims>(contract::Input("self", dtypes, "the images"));
}
template <int kDims>
constexpr contract::Parameter Out(contract::ProductDTypes dtypes) {
  return Resized<kDims>(contract::Output("out", dtypes, "dtype of self"), "");
}

// What gradients read, and what they write, which is named gradInput or out.
template <int kDims>
constexpr contract::Parameter GradOut(contract::ProductDTypes dtypes) {
  return Resized<kDims>(
      contract::Input("gradOut", dtypes, "gradient of the forward output, of its shape"),
      "pass the gradient of the forward output");
}
template <int kDims>
constexpr contract::Parameter Gradient(const char* name, contract::ProductDTypes dtypes) {
  return Images<kDims>(
      contract::Output(name, dtypes, "of the shape in inputSize; dtype of gradOut"));
}

inline constexpr auto kFloats = contract::AndBFloat16(DType::kFloat32, DType::kFloat16);
inline constexpr auto kRepeated =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kUInt8);
inline constexpr auto kSizes = contract::Between(1, static_cast<double>(kMost));

inline constexpr contract::Parameter kOutputSizeParameter = contract::Attribute(
    "outputSize", Kind::kIntArray, "of the output, a number for each dimension behind N and C");
template <int kDims>
inline constexpr contract::Parameter kInputSizeParameter = WithImages<kDims>(
    contract::Attribute("inputSize", Kind::kIntArray, "shape of the forward input"),
    "pass the shape of the forward input");
inline constexpr contract::Parameter kCornersParameter = contract::Attribute(
    "alignCorners", Kind::kBool,
    "true: the centers of the elements in the corners stay where they are; false: the corners "
    "themselves do");
inline constexpr const char* kFactorDoc =
    "how much larger the output is, where that is not quite the quotient of the sizes; 0, what is "
    "below, and 1 are that quotient";

constexpr contract::Parameter Factor(const char* name) {
  return contract::Attribute(name, Kind::kReal, kFactorDoc);
}
inline constexpr contract::Parameter kFactorH = Factor("scalesH");
inline constexpr contract::Parameter kFactorW = Factor("scalesW");

// Of the gradients whose forward function has no factor.
inline constexpr const char* kNearestFactorDoc =
    "0, what is below, or 1 for the gradient of the forward function, which has no factor and "
    "takes the quotient of the sizes; another number, as PyTorch passes its scale factor, for that "
    "of a forward call whose output was so much larger";

// ---- Forward: self, outputSize, ..., out

template <int kDims>
Finding NoElements(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(0);
  const bool fits = std::all_of(self.shape.end() - kDims, self.shape.end(),
                                [](int64_t extent) { return extent > 0 && extent <= kMost; });
  if (fits) return std::nullopt;
  return Cat("self.shape is ", contract::ShapeText(self), "; expected 1 to ", kMost,
             " elements in each dimension behind N and C.");
}

template <int kOut, int kDims>
inline constexpr contract::Rule kForwardRules[] = {
    contract::SameDType("same-dtype/out", kOut, 0, "allocate out with the dtype of self"),
    contract::Count("count/outputSize", 1, contract::Exactly(kDims),
                    "pass a number for each dimension behind N and C"),
    contract::InRange("range/outputSize", 1, kSizes, "pass 1 or more"),
    contract::Custom("images/self", &NoElements<kDims>,
                     "self has elements in the dimensions behind N and C",
                     "pass what has elements"),
};

// ---- Backward: gradOut, outputSize, inputSize, ..., the gradient

template <int kGradient, int kDims>
struct BackwardRules {
  static Finding NoElements(const Arguments& arguments) {
    const IntArrayValue& input = arguments.Ints(2);
    if (std::all_of(input.end() - kDims, input.end(), [](int64_t extent) { return extent > 0; })) {
      return std::nullopt;
    }
    return Cat("inputSize is ", contract::IntsText(input),
               "; expected numbers above 0 behind N and C.");
  }

  static constexpr contract::Rule kRules[] = {
      contract::SameDType("same-dtype/gradient", kGradient, 0,
                          "allocate the gradient with the dtype of gradOut"),
      contract::Count("count/outputSize", 1, contract::Exactly(kDims),
                      "pass a number for each dimension behind N and C"),
      contract::InRange("range/outputSize", 1, kSizes, "pass 1 or more"),
      contract::InRange("range/inputSize", 2, contract::Between(0, static_cast<double>(kMost)),
                        "pass the shape of the forward input"),
      contract::Custom("images/inputSize", &NoElements,
                       "inputSize has numbers above 0 behind N and C",
                       "pass the shape of the forward input"),
  };
};

namespace nearest {
enum : int { kSelf, kOutputSize, kOut };
inline constexpr contract::Parameter kParameters[] = {Self<2>(kRepeated), kOutputSizeParameter,
                                                      Out<2>(kRepeated)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleNearest2d",
    .folder = "upsample_nearest2d",
    .summary =
        "Resizes images by nearest-neighbour interpolation. The scale is the quotient of the "
        "sizes.",
    .parameters = kParameters,
    .rules = kForwardRules<kOut, 2>,
};
static_assert(contract::Matches<decltype(aclnnUpsampleNearest2dGetWorkspaceSize)>(kContract));
}  // namespace nearest

namespace nearest_backward {
enum : int { kGradOut, kOutputSize, kInputSize, kScalesH, kScalesW, kGradInput };
inline constexpr contract::Parameter kParameters[] = {
    GradOut<2>(kFloats),
    kOutputSizeParameter,
    kInputSizeParameter<2>,
    contract::Attribute("scalesH", Kind::kReal, kNearestFactorDoc),
    contract::Attribute("scalesW", Kind::kReal, kNearestFactorDoc),
    Gradient<2>("gradInput", kFloats)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleNearest2dBackward",
    .folder = "upsample_nearest2d_backward",
    .summary = "Gradient of aclnnUpsampleNearest2d with respect to its input.",
    .parameters = kParameters,
    .rules = BackwardRules<kGradInput, 2>::kRules,
};
static_assert(
    contract::Matches<decltype(aclnnUpsampleNearest2dBackwardGetWorkspaceSize)>(kContract));
}  // namespace nearest_backward

namespace bilinear {
enum : int { kSelf, kOutputSize, kAlignCorners, kScalesH, kScalesW, kOut };
inline constexpr contract::Parameter kParameters[] = {
    Self<2>(kFloats), kOutputSizeParameter, kCornersParameter, kFactorH, kFactorW, Out<2>(kFloats)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleBilinear2d",
    .folder = "upsample_bilinear2d",
    .summary = "Resizes images by bilinear interpolation.",
    .parameters = kParameters,
    .rules = kForwardRules<kOut, 2>,
};
static_assert(contract::Matches<decltype(aclnnUpsampleBilinear2dGetWorkspaceSize)>(kContract));
}  // namespace bilinear

namespace bilinear_backward {
enum : int { kGradOut, kOutputSize, kInputSize, kAlignCorners, kScalesH, kScalesW, kOut };
inline constexpr contract::Parameter kParameters[] = {
    GradOut<2>(kFloats),
    kOutputSizeParameter,
    kInputSizeParameter<2>,
    contract::Attribute("alignCorners", Kind::kBool, "of the forward call"),
    kFactorH,
    kFactorW,
    Gradient<2>("out", kFloats)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleBilinear2dBackward",
    .folder = "upsample_bilinear2d_backward",
    .summary = "Gradient of aclnnUpsampleBilinear2d with respect to its input.",
    .parameters = kParameters,
    .rules = BackwardRules<kOut, 2>::kRules,
};
static_assert(
    contract::Matches<decltype(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize)>(kContract));
}  // namespace bilinear_backward

namespace nearest1d {
enum : int { kSelf, kOutputSize, kOut };
inline constexpr contract::Parameter kParameters[] = {Self<1>(kRepeated), kOutputSizeParameter,
                                                      Out<1>(kRepeated)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleNearest1d",
    .folder = "upsample_nearest1d",
    .summary =
        "Resizes lines by nearest-neighbour interpolation. The scale is the quotient of the "
        "lengths.",
    .parameters = kParameters,
    .rules = kForwardRules<kOut, 1>,
};
static_assert(contract::Matches<decltype(aclnnUpsampleNearest1dGetWorkspaceSize)>(kContract));
}  // namespace nearest1d

namespace nearest1d_backward {
enum : int { kGradOut, kOutputSize, kInputSize, kScales, kOut };
inline constexpr contract::Parameter kParameters[] = {
    GradOut<1>(kFloats), kOutputSizeParameter, kInputSizeParameter<1>,
    contract::Attribute("scales", Kind::kReal, kNearestFactorDoc), Gradient<1>("out", kFloats)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleNearest1dBackward",
    .folder = "upsample_nearest1d_backward",
    .summary = "Gradient of aclnnUpsampleNearest1d with respect to its input.",
    .parameters = kParameters,
    .rules = BackwardRules<kOut, 1>::kRules,
};
static_assert(
    contract::Matches<decltype(aclnnUpsampleNearest1dBackwardGetWorkspaceSize)>(kContract));
}  // namespace nearest1d_backward

namespace linear1d {
enum : int { kSelf, kOutputSize, kAlignCorners, kScales, kOut };
inline constexpr contract::Parameter kParameters[] = {
    Self<1>(kFloats), kOutputSizeParameter,
    contract::Attribute("alignCorners", Kind::kBool,
                        "true: the centers of the elements at the ends stay where they are; "
                        "false: the ends themselves do"),
    Factor("scales"), Out<1>(kFloats)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleLinear1d",
    .folder = "upsample_linear1d",
    .summary = "Resizes lines by linear interpolation.",
    .parameters = kParameters,
    .rules = kForwardRules<kOut, 1>,
};
static_assert(contract::Matches<decltype(aclnnUpsampleLinear1dGetWorkspaceSize)>(kContract));
}  // namespace linear1d

namespace linear1d_backward {
enum : int { kGradOut, kOutputSize, kInputSize, kAlignCorners, kScales, kOut };
inline constexpr contract::Parameter kParameters[] = {
    GradOut<1>(kFloats),    kOutputSizeParameter,
    kInputSizeParameter<1>, contract::Attribute("alignCorners", Kind::kBool, "of the forward call"),
    Factor("scales"),       Gradient<1>("out", kFloats)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleLinear1dBackward",
    .folder = "upsample_linear1d_backward",
    .summary = "Gradient of aclnnUpsampleLinear1d with respect to its input.",
    .parameters = kParameters,
    .rules = BackwardRules<kOut, 1>::kRules,
};
static_assert(
    contract::Matches<decltype(aclnnUpsampleLinear1dBackwardGetWorkspaceSize)>(kContract));
}  // namespace linear1d_backward

}  // namespace aclimb::upsample
