#pragma once

#include <utility>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/draw.h"
#include "aclimb/ops/roi_align_v2_backward/forward_contract.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::roi_align_v2_backward {

inline void DrawForward(truth::Draw& draw, truth::Call& call) {
  namespace P = forward;
  constexpr int64_t kRegions[] = {2, 1, 3, 0, 5, 8, 4, 150};
  constexpr int64_t kCounts[] = {2, 1, 3, 0, 5, 8, 4};
  constexpr int64_t kExtents[] = {8, 1, 5, 2, 13, 32, 40, 0};
  constexpr int64_t kPooled[] = {2, 1, 3, 7, 14, 5, 4, 0};
  constexpr double kScales[] = {1, 0.25, 0.0625, 2, 0.5};
  const DType dtype = truth::DrawDType(draw, kForwardTypes[draw.product()]);
  const int64_t regions = draw.Pick(kRegions), images = draw.Pick(kCounts);
  const int64_t channels = regions > 8 ? ChannelsOfMany(draw) : draw.Pick(kCounts);
  const int64_t height = draw.Pick(kExtents), width = draw.Pick(kExtents);
  const int64_t pooled_h = draw.Pick(kPooled), pooled_w = draw.Pick(kPooled);
  const int64_t bins = regions * channels * pooled_h * pooled_w;
  std::vector<double> boxes = DrawBoxes(draw, regions, images);
  call.SetTensor(P::kSelf, {images, channels, height, width}, dtype,
                 truth::DrawValues(draw, dtype, images * channels * height * width));
  call.SetTensor(P::kBoxes, {regions, 5}, dtype, std::move(boxes));
  call.SetInteger(P::kPooledHeight, pooled_h);
  call.SetInteger(P::kPooledWidth, pooled_w);
  call.SetReal(P::kSpatialScale, draw.Pick(kScales));
  call.SetInteger(P::kSamplingRatio, DrawSamplingRatio(draw, bins));
  call.SetInteger(P::kAligned, draw.Flip() ? 1 : 0);
  call.SetTensor(P::kOut, {regions, channels, pooled_h, pooled_w}, dtype);
  // Each bin may read the whole map, each pixel of which takes up to a thousand samples to place.
  draw.SetCost(static_cast<double>(bins * (height + width)));
}

inline void DrawFirst(truth::Draw& draw, truth::Call& call) {
  namespace P = first;
  truth::Call other(kForwardContract);
  DrawForward(draw, other);
  const DType dtype = other.DTypeOf(forward::kSelf);
  const std::vector<double>& boxes = other.Values(forward::kBoxes);
  std::vector<double> images, rois;
  for (size_t i = 0; i < boxes.size(); ++i) (i % 5 == 0 ? images : rois).push_back(boxes[i]);
  const int64_t regions = other.Shape(forward::kBoxes)[0];
  call.SetTensor(P::kSelf, other.Shape(forward::kSelf), dtype, other.Values(forward::kSelf));
  call.SetTensor(P::kRois, {regions, 4}, dtype, std::move(rois));
  call.SetTensor(P::kBatchIndices, {regions}, DType::kInt32, std::move(images));
  call.SetText(P::kMode, "avg");
  call.SetInteger(P::kOutputHeight, other.Integer(forward::kPooledHeight));
  call.SetInteger(P::kOutputWidth, other.Integer(forward::kPooledWidth));
  call.SetInteger(P::kSamplingRatio, other.Integer(forward::kSamplingRatio));
  call.SetReal(P::kSpatialScale, other.Real(forward::kSpatialScale));
  call.SetTensor(P::kOut, other.Shape(forward::kOut), dtype);
}

}  // namespace aclimb::roi_align_v2_backward
