#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/upsample/scales.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"

// Images in another size, and the gradients.
namespace aclimb::upsample {

using contract::Arguments;
using contract::Kind;
using Finding = std::optional<std::string>;

constexpr contract::Parameter Images(contract::Parameter parameter) {
  return contract::WithFormats(contract::WithRank(parameter, 4, 4),
                               contract::Formats(contract::kNchw, contract::kNd));
}

inline constexpr auto kFloats = contract::AndBFloat16(DType::kFloat32, DType::kFloat16);
inline constexpr auto kRepeated =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kUInt8);
inline constexpr auto kSizes = contract::Between(1, static_cast<double>(kMost));

inline constexpr contract::Parameter kOutputSizeParameter =
    contract::Attribute("outputSize", Kind::kIntArray, "height and width of the output");
inline constexpr const char* kFactorDoc =
    "how much larger the output is, where that is not quite the quotient of the sizes; 0, what is "
    "below, and 1 are that quotient";

// ---- Forward: self, outputSize, ..., out

template <int kOut>
Finding OtherOut(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(0);
  const IntArrayValue& size = arguments.Ints(1);
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), {self.shape[0], self.shape[1], size[0], size[1]},
      Cat("self.shape ", contract::ShapeText(self), " and outputSize ", contract::IntsText(size)));
}
inline Finding NoElements(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(0);
  if (std::min(self.shape[2], self.shape[3]) > 0 && std::max(self.shape[2], self.shape[3]) <= kMost)
    return std::nullopt;
  return Cat("self.shape is ", contract::ShapeText(self),
             "; expected a height and a width of 1 to ", kMost, ".");
}

template <int kOut>
inline constexpr contract::Rule kForwardRules[] = {
    contract::SameDType("same-dtype/out", kOut, 0, "allocate out with the dtype of self"),
    contract::Count("count/outputSize", 1, contract::Exactly(2), "pass height and width"),
    contract::InRange("range/outputSize", 1, kSizes, "pass 1 or more"),
    contract::Custom("images/self", &NoElements, "the images of self have elements",
                     "pass images that have elements"),
    contract::Custom("shape/out", &OtherOut<kOut>,
                     "out has N and C of self and the size in outputSize",
                     "allocate out with that shape"),
};

// ---- Backward: gradOut, outputSize, inputSize, ..., the gradient

template <int kGradient>
struct BackwardRules {
  static constexpr const char* Name() { return kGradient == 5 ? "gradInput" : "out"; }

  static Finding OtherGradOut(const Arguments& arguments) {
    const IntArrayValue &size = arguments.Ints(1), &input = arguments.Ints(2);
    return contract::OtherShape(
        "gradOut", arguments.Tensor(0), {input[0], input[1], size[0], size[1]},
        Cat("inputSize ", contract::IntsText(input), " and outputSize ", contract::IntsText(size)));
  }
  static Finding OtherGradient(const Arguments& arguments) {
    return contract::OtherShape(Name(), arguments.Tensor(kGradient), arguments.Ints(2),
                                Cat("inputSize ", contract::IntsText(arguments.Ints(2))));
  }
  static Finding NoElements(const Arguments& arguments) {
    const IntArrayValue& input = arguments.Ints(2);
    if (std::min(input[2], input[3]) > 0) return std::nullopt;
    return Cat("inputSize is ", contract::IntsText(input),
               "; expected a height and a width above 0.");
  }

  static constexpr contract::Rule kRules[] = {
      contract::SameDType("same-dtype/gradient", kGradient, 0,
                          "allocate the gradient with the dtype of gradOut"),
      contract::Count("count/outputSize", 1, contract::Exactly(2), "pass height and width"),
      contract::Count("count/inputSize", 2, contract::Exactly(4),
                      "pass the shape of the forward input"),
      contract::InRange("range/outputSize", 1, kSizes, "pass 1 or more"),
      contract::InRange("range/inputSize", 2, contract::Between(0, static_cast<double>(kMost)),
                        "pass the shape of the forward input"),
      contract::Custom("images/inputSize", &NoElements, "the images of inputSize have elements",
                       "pass the shape of the forward input"),
      contract::Custom("shape/gradOut", &OtherGradOut,
                       "gradOut has N and C of inputSize and the size in outputSize",
                       "pass the gradient of the forward output"),
      contract::Custom("shape/gradient", &OtherGradient, "the gradient has the shape in inputSize",
                       "allocate the gradient with that shape"),
  };
};

namespace nearest {
enum : int { kSelf, kOutputSize, kOut };
inline constexpr contract::Parameter kParameters[] = {
    Images(contract::Input("self", kRepeated, "[N, C, H, W]")), kOutputSizeParameter,
    Images(contract::Output("out", kRepeated, "N and C of self and the new size; dtype of self"))};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleNearest2d",
    .folder = "upsample_nearest2d",
    .summary = "Images in another size: each element is the one of self that is nearest.",
    .parameters = kParameters,
    .rules = kForwardRules<kOut>,
};
static_assert(contract::Matches<decltype(aclnnUpsampleNearest2dGetWorkspaceSize)>(kContract));
}  // namespace nearest

namespace nearest_backward {
enum : int { kGradOut, kOutputSize, kInputSize, kScalesH, kScalesW, kGradInput };
inline constexpr contract::Parameter kParameters[] = {
    Images(contract::Input("gradOut", kFloats, "gradient of the forward output, of its shape")),
    kOutputSizeParameter,
    contract::Attribute("inputSize", Kind::kIntArray, "shape of the forward input"),
    contract::Attribute("scalesH", Kind::kReal, kFactorDoc),
    contract::Attribute("scalesW", Kind::kReal, kFactorDoc),
    Images(contract::Output("gradInput", kFloats, "of the shape in inputSize; dtype of gradOut"))};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleNearest2dBackward",
    .folder = "upsample_nearest2d_backward",
    .summary = "Gradient of aclnnUpsampleNearest2d with respect to its input.",
    .parameters = kParameters,
    .rules = BackwardRules<kGradInput>::kRules,
};
static_assert(
    contract::Matches<decltype(aclnnUpsampleNearest2dBackwardGetWorkspaceSize)>(kContract));
}  // namespace nearest_backward

namespace bilinear {
enum : int { kSelf, kOutputSize, kAlignCorners, kScalesH, kScalesW, kOut };
inline constexpr contract::Parameter kParameters[] = {
    Images(contract::Input("self", kFloats, "[N, C, H, W]")),
    kOutputSizeParameter,
    contract::Attribute("alignCorners", Kind::kBool,
                        "true: the centers of the elements in the corners stay where they are; "
                        "false: the corners themselves do"),
    contract::Attribute("scalesH", Kind::kReal, kFactorDoc),
    contract::Attribute("scalesW", Kind::kReal, kFactorDoc),
    Images(contract::Output("out", kFloats, "N and C of self and the new size; dtype of self"))};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleBilinear2d",
    .folder = "upsample_bilinear2d",
    .summary = "Images in another size: each element lies between four of self.",
    .parameters = kParameters,
    .rules = kForwardRules<kOut>,
};
static_assert(contract::Matches<decltype(aclnnUpsampleBilinear2dGetWorkspaceSize)>(kContract));
}  // namespace bilinear

namespace bilinear_backward {
enum : int { kGradOut, kOutputSize, kInputSize, kAlignCorners, kScalesH, kScalesW, kOut };
inline constexpr contract::Parameter kParameters[] = {
    Images(contract::Input("gradOut", kFloats, "gradient of the forward output, of its shape")),
    kOutputSizeParameter,
    contract::Attribute("inputSize", Kind::kIntArray, "shape of the forward input"),
    contract::Attribute("alignCorners", Kind::kBool, "of the forward call"),
    contract::Attribute("scalesH", Kind::kReal, kFactorDoc),
    contract::Attribute("scalesW", Kind::kReal, kFactorDoc),
    Images(contract::Output("out", kFloats, "of the shape in inputSize; dtype of gradOut"))};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleBilinear2dBackward",
    .folder = "upsample_bilinear2d_backward",
    .summary = "Gradient of aclnnUpsampleBilinear2d with respect to its input.",
    .parameters = kParameters,
    .rules = BackwardRules<kOut>::kRules,
};
static_assert(
    contract::Matches<decltype(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize)>(kContract));
}  // namespace bilinear_backward

}  // namespace aclimb::upsample
