#pragma once

#include <cfloat>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
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
    contract::WithFormats(contract::WithShape(contract::Input("gradOutput", kFloatOnly,
                                                              "gradient of the K pooled regions"),
                                              "K C pooledHeight pooledWidth"),
                          kNchwOnly),
    contract::WithFormats(
        contract::WithShape(
            contract::Input("boxes", kFloatOnly,
                            "rows (image, x1, y1, x2, y2) in coordinates of the image; a region "
                            "whose image is outside [0, B) is skipped"),
            "K 5", "pass the boxes of the forward call, one row of five per pooled region"),
        contract::Formats(contract::kNd)),
    contract::WithShape(
        contract::Attribute("inputShape", contract::Kind::kIntArray, "the shape of gradInput"),
        "B C H W", "pass the shape of the forward input"),
    contract::Attribute("pooledHeight", contract::Kind::kInteger, "gradOutput's third extent"),
    contract::Attribute("pooledWidth", contract::Kind::kInteger, "gradOutput's fourth extent"),
    contract::Attribute("spatialScale", contract::Kind::kReal,
                        "size of the feature map relative to the image, above 1.17549435e-38"),
    contract::Attribute("samplingRatio", contract::Kind::kInteger,
                        "samples per bin along each axis; 0 takes about one per pixel"),
    contract::Attribute("aligned", contract::Kind::kBool,
                        "true shifts coordinates by -0.5 and lets regions shrink to nothing"),
    contract::WithFormats(
        contract::WithShape(contract::Output("gradInput", kFloatOnly,
                                             "fully written: zeros where no region reaches"),
                            "B C H W", "allocate gradInput with the shape of the forward input"),
        kNchwOnly),
};

inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/samplingRatio", kSamplingRatio, contract::AtLeast(0),
                      "pass 0 for a sampling grid by the size of the region"),
    contract::InRange("range/spatialScale", kSpatialScale,
                      contract::Above(static_cast<double>(FLT_MIN)),
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
