#pragma once

#include <cfloat>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_roi_align.h"
#include "aclnnop/aclnn_roi_align_v2.h"

namespace aclimb::roi_align_v2_backward {

// Parameter positions of aclnnRoiAlignV2.
namespace forward {
enum : int {
  kSelf,
  kBoxes,
  kPooledHeight,
  kPooledWidth,
  kSpatialScale,
  kSamplingRatio,
  kAligned,
  kOut
};
}  // namespace forward

inline constexpr auto kForwardTypes = contract::OnAll(contract::kHalfDTypes);
inline constexpr auto kMapFormats = contract::Formats(contract::kNchw, contract::kNd);

inline constexpr contract::Parameter kForwardParameters[] = {
    contract::WithFormats(
        contract::WithShape(contract::Input("self", kForwardTypes, "the feature maps"), "B C H W"),
        kMapFormats),
    contract::WithShape(
        contract::Input("boxes", kForwardTypes,
                        "rows (image, x1, y1, x2, y2) in coordinates of the image, dtype of self; "
                        "a region whose image is outside [0, B) gives zeros"),
        "K 5", "pass one row of five per region"),
    contract::Attribute("pooledHeight", contract::Kind::kInteger, "out's third extent"),
    contract::Attribute("pooledWidth", contract::Kind::kInteger, "out's fourth extent"),
    contract::Attribute("spatialScale", contract::Kind::kReal,
                        "size of the feature map relative to the image, above 1.17549435e-38"),
    contract::Attribute("samplingRatio", contract::Kind::kInteger,
                        "samples per bin along each axis; 0 takes about one per pixel"),
    contract::Attribute("aligned", contract::Kind::kBool,
                        "true shifts coordinates by -0.5 and lets regions shrink to nothing"),
    contract::WithFormats(
        contract::WithShape(
            contract::Output("out", kForwardTypes, "the pooled regions; dtype of self"),
            "K C pooledHeight pooledWidth", "allocate out with one map per region"),
        kMapFormats),
};

inline constexpr contract::Rule kForwardRules[] = {
    contract::SameDType("same-dtype/boxes", forward::kBoxes, forward::kSelf,
                        "pass boxes of the dtype of self"),
    contract::SameDType("same-dtype/out", forward::kOut, forward::kSelf,
                        "allocate out with the dtype of self"),
    contract::InRange("range/samplingRatio", forward::kSamplingRatio, contract::AtLeast(0),
                      "pass 0 for a sampling grid by the size of the region"),
    contract::InRange("range/spatialScale", forward::kSpatialScale,
                      contract::Above(static_cast<double>(FLT_MIN)),
                      "pass the size of the feature map divided by that of the image, as 0.25"),
};

inline constexpr contract::Contract kForwardContract = {
    .function = "aclnnRoiAlignV2",
    .folder = "roi_align_v2",
    .summary = "Regions of feature maps, pooled to one size by bilinear interpolation.",
    .parameters = kForwardParameters,
    .rules = kForwardRules,
};

static_assert(contract::Matches<decltype(aclnnRoiAlignV2GetWorkspaceSize)>(kForwardContract));

// Parameter positions of aclnnRoiAlign.
namespace first {
enum : int {
  kSelf,
  kRois,
  kBatchIndices,
  kMode,
  kOutputHeight,
  kOutputWidth,
  kSamplingRatio,
  kSpatialScale,
  kOut
};
}  // namespace first

inline constexpr contract::Parameter kFirstParameters[] = {
    contract::WithFormats(
        contract::WithShape(contract::Input("self", kForwardTypes, "the feature maps"), "B C H W"),
        kMapFormats),
    contract::WithShape(
        contract::Input("rois", kForwardTypes,
                        "rows (x1, y1, x2, y2) in coordinates of the image, dtype of self"),
        "K 4", "pass one row of four per region"),
    contract::WithShape(
        contract::Input("batchIndices", contract::OnAll(contract::DTypes(DType::kInt32)),
                        "image of each region; one whose image is outside [0, B) gives zeros"),
        "K", "pass one image for each row of rois"),
    contract::Attribute("mode", contract::Kind::kString, "\"avg\": the mean of each bin's samples"),
    contract::Attribute("outputHeight", contract::Kind::kInteger, "out's third extent"),
    contract::Attribute("outputWidth", contract::Kind::kInteger, "out's fourth extent"),
    contract::Attribute("samplingRatio", contract::Kind::kInteger,
                        "samples per bin along each axis; 0 takes about one per pixel"),
    contract::Attribute("spatialScale", contract::Kind::kReal,
                        "size of the feature map relative to the image, above 0"),
    contract::WithFormats(
        contract::WithShape(
            contract::Output("out", kForwardTypes, "the pooled regions; dtype of self"),
            "K C outputHeight outputWidth", "allocate out with one map per region"),
        kMapFormats),
};

inline constexpr contract::Rule kFirstRules[] = {
    contract::SameDType("same-dtype/rois", first::kRois, first::kSelf,
                        "pass rois of the dtype of self"),
    contract::SameDType("same-dtype/out", first::kOut, first::kSelf,
                        "allocate out with the dtype of self"),
    contract::InRange("range/samplingRatio", first::kSamplingRatio, contract::AtLeast(0),
                      "pass 0 for a sampling grid by the size of the region"),
    contract::InRange("range/spatialScale", first::kSpatialScale, contract::Above(0),
                      "pass the size of the feature map divided by that of the image, as 0.25"),
    contract::OneOf("mode", first::kMode, "avg",
                    "pass \"avg\", the only one that Aclimb implements"),
};

inline constexpr contract::Contract kFirstContract = {
    .function = "aclnnRoiAlign",
    .folder = "roi_align",
    .summary = "Regions of feature maps, pooled to one size by bilinear interpolation.",
    .parameters = kFirstParameters,
    .rules = kFirstRules,
};

static_assert(contract::Matches<decltype(aclnnRoiAlignGetWorkspaceSize)>(kFirstContract));

}  // namespace aclimb::roi_align_v2_backward
