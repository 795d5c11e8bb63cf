#pragma once

#include <cfloat>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_roi_align_v2_backward.h"

namespace aclimb::roi_align_v2_backward {

// Parameter positions, in the order of the C function.
enum : int {
  kGradOutput,
  kBoxes,
  kInputShape,
  kPooledHeight,
  kPooledWidth,
  kSpatialScale,
  kSamplingRatio,
  kAligned,
  kGradInput
};

inline constexpr auto kFloatOnly = contract::OnAll(contract::DTypes(DType::kFloat32));
inline constexpr auto kNchwOnly = contract::Formats(contract::kNchw);

inline constexpr contract::Parameter kParameters[] = {
    contract::WithFormats(
        contract::WithRank(contract::Input("gradOutput", kFloatOnly,
                                           "[K, C, pooledHeight, pooledWidth], gradient of the "
                                           "pooled regions"),
                           4, 4),
        kNchwOnly),
    contract::WithFormats(
        contract::WithRank(
            contract::Input("boxes", kFloatOnly,
                            "[K, 5], rows (image, x1, y1, x2, y2) in coordinates of the image; a "
                            "region whose image is outside [0, B) is skipped"),
            2, 2),
        contract::Formats(contract::kNd)),
    contract::Attribute("inputShape", contract::Kind::kIntArray, "the shape of gradInput"),
    contract::Attribute("pooledHeight", contract::Kind::kInteger, "gradOutput's third extent"),
    contract::Attribute("pooledWidth", contract::Kind::kInteger, "gradOutput's fourth extent"),
    contract::Attribute("spatialScale", contract::Kind::kReal,
                        "size of the feature map relative to the image, above 1.17549435e-38"),
    contract::Attribute("samplingRatio", contract::Kind::kInteger,
                        "samples per bin along each axis; 0 takes about one per pixel"),
    contract::Attribute("aligned", contract::Kind::kBool,
                        "true shifts coordinates by -0.5 and lets regions shrink to nothing"),
    contract::WithFormats(
        contract::WithRank(contract::Output("gradInput", kFloatOnly,
                                            "[B, C, H, W], fully written: zeros where no region "
                                            "reaches"),
                           4, 4),
        kNchwOnly),
};

inline std::string ShapeOf(const contract::Arguments& arguments, int parameter) {
  const TensorDescriptor& tensor = arguments.Tensor(parameter);
  return ShapeText(tensor.shape.data(), tensor.shape.size());
}

inline std::optional<std::string> BoxesWithoutFiveColumns(const contract::Arguments& arguments) {
  if (arguments.Tensor(kBoxes).shape[1] == 5) return std::nullopt;
  return Cat("boxes.shape is ", ShapeOf(arguments, kBoxes), "; expected [K, 5].");
}

inline std::optional<std::string> OtherRankThanFour(const contract::Arguments& arguments) {
  const IntArrayValue& shape = arguments.Ints(kInputShape);
  if (shape.size() == 4) return std::nullopt;
  return Cat("inputShape is ", ShapeText(shape.data(), shape.size()),
             "; expected four numbers [B, C, H, W].");
}

inline std::optional<std::string> OtherNumberOfRegions(const contract::Arguments& arguments) {
  if (arguments.Tensor(kBoxes).shape[0] == arguments.Tensor(kGradOutput).shape[0]) {
    return std::nullopt;
  }
  return Cat("boxes.shape is ", ShapeOf(arguments, kBoxes), " but gradOutput.shape is ",
             ShapeOf(arguments, kGradOutput), "; expected equal first extents.");
}

inline std::optional<std::string> OtherPooledSize(const contract::Arguments& arguments,
                                                  const char* name, int parameter, int dimension) {
  const int64_t pooled = arguments.Integer(parameter);
  if (arguments.Tensor(kGradOutput).shape[static_cast<size_t>(dimension)] == pooled) {
    return std::nullopt;
  }
  return Cat(name, " is ", pooled, " but gradOutput.shape is ", ShapeOf(arguments, kGradOutput),
             "; expected gradOutput.shape[", dimension, "] = ", name, ".");
}
inline std::optional<std::string> OtherPooledHeight(const contract::Arguments& arguments) {
  return OtherPooledSize(arguments, "pooledHeight", kPooledHeight, 2);
}
inline std::optional<std::string> OtherPooledWidth(const contract::Arguments& arguments) {
  return OtherPooledSize(arguments, "pooledWidth", kPooledWidth, 3);
}

inline std::optional<std::string> OtherChannels(const contract::Arguments& arguments) {
  if (arguments.Tensor(kGradInput).shape[1] == arguments.Tensor(kGradOutput).shape[1]) {
    return std::nullopt;
  }
  return Cat("gradInput.shape is ", ShapeOf(arguments, kGradInput), " but gradOutput.shape is ",
             ShapeOf(arguments, kGradOutput), "; expected equal numbers of channels.");
}

inline std::optional<std::string> OtherInputShape(const contract::Arguments& arguments) {
  const IntArrayValue& shape = arguments.Ints(kInputShape);
  if (arguments.Tensor(kGradInput).shape == shape) return std::nullopt;
  return Cat("gradInput.shape is ", ShapeOf(arguments, kGradInput), " but inputShape is ",
             ShapeText(shape.data(), shape.size()), "; expected the same four numbers.");
}

inline std::optional<std::string> NegativeRatio(const contract::Arguments& arguments) {
  if (arguments.Integer(kSamplingRatio) >= 0) return std::nullopt;
  return Cat("samplingRatio is ", arguments.Integer(kSamplingRatio), "; expected at least 0.");
}

// NaN fails too.
inline std::optional<std::string> ScaleNotPositive(const contract::Arguments& arguments) {
  if (arguments.Real(kSpatialScale) > static_cast<double>(FLT_MIN)) return std::nullopt;
  return Cat("spatialScale is ", arguments.Real(kSpatialScale),
             "; expected a number above 1.17549435e-38.");
}

inline constexpr contract::Rule kRules[] = {
    contract::Custom("box-columns", &BoxesWithoutFiveColumns, "boxes.shape[1] is 5",
                     "pass one row (image, x1, y1, x2, y2) per region"),
    contract::Custom("input-rank", &OtherRankThanFour, "inputShape has four numbers",
                     "pass the shape of the forward input"),
    contract::Custom("regions", &OtherNumberOfRegions, "boxes.shape[0] is gradOutput.shape[0]",
                     "pass the boxes of the forward call, one per pooled region"),
    contract::Custom("pooled-height", &OtherPooledHeight, "pooledHeight is gradOutput.shape[2]",
                     "pass the pooled size of the forward call"),
    contract::Custom("pooled-width", &OtherPooledWidth, "pooledWidth is gradOutput.shape[3]",
                     "pass the pooled size of the forward call"),
    contract::Custom("channels", &OtherChannels, "gradInput.shape[1] is gradOutput.shape[1]",
                     "allocate gradInput with the channels of gradOutput"),
    contract::Custom("input-shape", &OtherInputShape, "gradInput.shape is inputShape",
                     "allocate gradInput with the shape of the forward input"),
    contract::Custom("sampling-ratio", &NegativeRatio, "samplingRatio is at least 0",
                     "pass 0 for a sampling grid by the size of the region"),
    contract::Custom("spatial-scale", &ScaleNotPositive, "spatialScale is above 1.17549435e-38",
                     "pass the size of the feature map divided by that of the image, as 0.25"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnRoiAlignV2Backward",
    .folder = "roi_align_v2_backward",
    .summary =
        "Gradient of aclnnRoiAlignV2 with respect to the feature map: spreads the gradients "
        "of pooled regions with bilinear weights.",
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnRoiAlignV2BackwardGetWorkspaceSize)>(kContract));

}  // namespace aclimb::roi_align_v2_backward
