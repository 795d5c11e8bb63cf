#pragma once

#include <utility>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/contract.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::roi_align_v2_backward {

// Regions inside and around the map, some of them turned inside out.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kCounts[] = {2, 1, 3, 0, 5, 8, 17, 4};
  constexpr int64_t kExtents[] = {8, 1, 5, 2, 13, 32, 40, 0};
  constexpr int64_t kPooled[] = {2, 1, 3, 7, 14, 5, 4, 0};
  constexpr double kScales[] = {1, 0.25, 0.0625, 2, 0.5};
  const int64_t regions = draw.Pick(kCounts);
  const int64_t images = draw.Pick(kCounts);
  const int64_t channels = draw.Pick(kCounts);
  const int64_t height = draw.Pick(kExtents), width = draw.Pick(kExtents);
  const int64_t pooled_h = draw.Pick(kPooled), pooled_w = draw.Pick(kPooled);
  const int64_t bins = regions * channels * pooled_h * pooled_w;
  std::vector<double> boxes;
  for (int64_t k = 0; k < regions; ++k) {
    boxes.push_back(images == 0 ? -1.0 : static_cast<double>(draw.Below(images)));
    for (int i = 0; i < 4; ++i) boxes.push_back(draw.Byte() / 4.0 - 8);
  }
  const DType dtype = DType::kFloat32;
  call.SetTensor(kGradOutput, {regions, channels, pooled_h, pooled_w}, dtype,
                 truth::DrawValues(draw, dtype, bins));
  call.SetTensor(kBoxes, {regions, 5}, dtype, std::move(boxes));
  call.SetInts(kInputShape, {images, channels, height, width});
  call.SetInteger(kPooledHeight, pooled_h);
  call.SetInteger(kPooledWidth, pooled_w);
  call.SetReal(kSpatialScale, draw.Pick(kScales));
  call.SetInteger(kSamplingRatio, draw.Below(5));
  call.SetInteger(kAligned, draw.Flip() ? 1 : 0);
  call.SetTensor(kGradInput, {images, channels, height, width}, dtype);
  // Each bin may touch the whole map, each pixel of which takes up to a thousand samples to place.
  draw.SetCost(static_cast<double>(bins * (height + width) + images * channels * height * width));
}

}  // namespace aclimb::roi_align_v2_backward
