#pragma once

#include "aclimb/ops/upsample/contracts.h"
#include "aclnnop/aclnn_upsample_bicubic_2d.h"
#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "aclnnop/aclnn_upsample_trilinear_3d.h"
#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"

// Images on a cubic curve, and volumes in another size; and the gradients.
namespace aclimb::upsample {

inline constexpr auto kFloatsAndDouble =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64);

inline constexpr contract::Parameter kFactorD = Factor("scalesD");

inline constexpr uint8_t kGradientProducts = kAllProducts & ~Bit(Product::kInference310P);

namespace bicubic {
enum : int { kSelf, kOutputSize, kAlignCorners, kScalesH, kScalesW, kOut };
inline constexpr contract::Parameter kParameters[] = {
    Self<2>(kFloats), kOutputSizeParameter, kCornersParameter, kFactorH, kFactorW, Out<2>(kFloats)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleBicubic2d",
    .folder = "upsample_bicubic2d",
    .summary = "Resizes images by bicubic interpolation.",
    .parameters = kParameters,
    .rules = kForwardRules<kOut, 2>,
};
static_assert(contract::Matches<decltype(aclnnUpsampleBicubic2dGetWorkspaceSize)>(kContract));
}  // namespace bicubic

namespace bicubic_backward {
enum : int { kGradOut, kOutputSize, kInputSize, kAlignCorners, kScalesH, kScalesW, kGradInput };
inline constexpr contract::Parameter kParameters[] = {GradOut<2>(kFloats),
                                                      kOutputSizeParameter,
                                                      kInputSizeParameter<2>,
                                                      kCornersParameter,
                                                      kFactorH,
                                                      kFactorW,
                                                      Gradient<2>("gradInput", kFloats)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleBicubic2dBackward",
    .folder = "upsample_bicubic2d_backward",
    .summary = "Gradient of aclnnUpsampleBicubic2d with respect to its input.",
    .products = kGradientProducts,
    .parameters = kParameters,
    .rules = BackwardRules<kGradInput, 2>::kRules,
};
static_assert(
    contract::Matches<decltype(aclnnUpsampleBicubic2dBackwardGetWorkspaceSize)>(kContract));
}  // namespace bicubic_backward

namespace trilinear {
enum : int { kSelf, kOutputSize, kAlignCorners, kScalesD, kScalesH, kScalesW, kOut };
inline constexpr contract::Parameter kParameters[] = {Self<3>(kFloatsAndDouble),
                                                      kOutputSizeParameter,
                                                      kCornersParameter,
                                                      kFactorD,
                                                      kFactorH,
                                                      kFactorW,
                                                      Out<3>(kFloatsAndDouble)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleTrilinear3d",
    .folder = "upsample_trilinear3d",
    .summary = "Resizes volumes by trilinear interpolation.",
    .parameters = kParameters,
    .rules = kForwardRules<kOut, 3>,
};
static_assert(contract::Matches<decltype(aclnnUpsampleTrilinear3dGetWorkspaceSize)>(kContract));
}  // namespace trilinear

namespace trilinear_backward {
enum : int {
  kGradOut,
  kOutputSize,
  kInputSize,
  kAlignCorners,
  kScalesD,
  kScalesH,
  kScalesW,
  kGradInput
};
inline constexpr contract::Parameter kParameters[] = {GradOut<3>(kFloatsAndDouble),
                                                      kOutputSizeParameter,
                                                      kInputSizeParameter<3>,
                                                      kCornersParameter,
                                                      kFactorD,
                                                      kFactorH,
                                                      kFactorW,
                                                      Gradient<3>("gradInput", kFloatsAndDouble)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleTrilinear3dBackward",
    .folder = "upsample_trilinear3d_backward",
    .summary = "Gradient of aclnnUpsampleTrilinear3d with respect to its input.",
    .products = kGradientProducts,
    .parameters = kParameters,
    .rules = BackwardRules<kGradInput, 3>::kRules,
};
static_assert(
    contract::Matches<decltype(aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize)>(kContract));
}  // namespace trilinear_backward

namespace nearest3d {
enum : int { kSelf, kOutputSize, kScalesD, kScalesH, kScalesW, kOut };
inline constexpr contract::Parameter kParameters[] = {
    Self<3>(kFloatsAndDouble), kOutputSizeParameter, kFactorD, kFactorH, kFactorW,
    Out<3>(kFloatsAndDouble)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleNearest3d",
    .folder = "upsample_nearest3d",
    .summary = "Resizes volumes by nearest-neighbour interpolation.",
    .parameters = kParameters,
    .rules = kForwardRules<kOut, 3>,
};
static_assert(contract::Matches<decltype(aclnnUpsampleNearest3dGetWorkspaceSize)>(kContract));
}  // namespace nearest3d

namespace nearest3d_backward {
enum : int { kGradOut, kOutputSize, kInputSize, kScalesD, kScalesH, kScalesW, kGradInput };
inline constexpr contract::Parameter kParameters[] = {GradOut<3>(kFloatsAndDouble),
                                                      kOutputSizeParameter,
                                                      kInputSizeParameter<3>,
                                                      kFactorD,
                                                      kFactorH,
                                                      kFactorW,
                                                      Gradient<3>("gradInput", kFloatsAndDouble)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUpsampleNearest3dBackward",
    .folder = "upsample_nearest3d_backward",
    .summary = "Gradient of aclnnUpsampleNearest3d with respect to its input.",
    .products = kGradientProducts,
    .parameters = kParameters,
    .rules = BackwardRules<kGradInput, 3>::kRules,
};
static_assert(
    contract::Matches<decltype(aclnnUpsampleNearest3dBackwardGetWorkspaceSize)>(kContract));
}  // namespace nearest3d_backward

}  // namespace aclimb::upsample
