#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/contract.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::roi_align_v2_backward {

// Regions inside and around the map, some of them turned inside out; now and then in images that
// are not there, or whose number has a fraction. [regions, 5]
inline std::vector<double> DrawBoxes(truth::Draw& draw, int64_t regions, int64_t images) {
  const auto end = static_cast<double>(images);
  const double strays[] = {-0.25, end, 0.75, -1, end - 0.25, 0x1p15};
  const bool stray = draw.Below(4) == 3;
  std::vector<double> boxes;
  for (int64_t k = 0; k < regions; ++k) {
    const double image = images == 0 ? -1.0 : static_cast<double>(draw.Below(images));
    boxes.push_back(stray && k % 2 == 0 ? strays[static_cast<size_t>(k) / 2 % std::size(strays)]
                                        : image);
    for (int i = 0; i < 4; ++i) boxes.push_back(draw.Byte() / 4.0 - 8);
  }
  return boxes;
}

// Beside many regions few channels, unless there is to be work for a team.
inline int64_t ChannelsOfMany(const truth::Draw& draw) {
  return std::clamp<int64_t>(draw.most_elements() / 10000, 2, 64);
}

// Dense grids where there are few bins: a truth takes sample by sample.
inline int64_t DrawSamplingRatio(truth::Draw& draw, int64_t bins) {
  const int64_t ratio = draw.Below(6);
  return ratio < 5 ? ratio : bins <= 400 ? 40 : 2;
}

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kRegions[] = {2, 1, 3, 0, 5, 8, 17, 4, 150};
  constexpr int64_t kCounts[] = {2, 1, 3, 0, 5, 8, 17, 4};
  constexpr int64_t kExtents[] = {8, 1, 5, 2, 13, 32, 40, 0};
  constexpr int64_t kPooled[] = {2, 1, 3, 7, 14, 5, 4, 0, 21};
  constexpr double kScales[] = {1, 0.25, 0.0625, 2, 0.5};
  const int64_t regions = draw.Pick(kRegions);
  // So many that pixels add up more than a block of terms.
  const bool crowded = regions > 17;
  const int64_t images = crowded ? 1 : draw.Pick(kCounts);
  const int64_t channels = crowded ? ChannelsOfMany(draw) : draw.Pick(kCounts);
  const int64_t height = draw.Pick(kExtents), width = draw.Pick(kExtents);
  const int64_t pooled_h = draw.Pick(kPooled), pooled_w = draw.Pick(kPooled);
  const int64_t bins = regions * channels * pooled_h * pooled_w;
  std::vector<double> boxes = DrawBoxes(draw, regions, images);
  const DType dtype = DType::kFloat32;
  call.SetTensor(kGradOutput, {regions, channels, pooled_h, pooled_w}, dtype,
                 truth::DrawValues(draw, dtype, bins));
  call.SetTensor(kBoxes, {regions, 5}, dtype, std::move(boxes));
  call.SetInts(kInputShape, {images, channels, height, width});
  call.SetInteger(kPooledHeight, pooled_h);
  call.SetInteger(kPooledWidth, pooled_w);
  call.SetReal(kSpatialScale, draw.Pick(kScales));
  call.SetInteger(kSamplingRatio, DrawSamplingRatio(draw, bins));
  call.SetInteger(kAligned, draw.Flip() ? 1 : 0);
  call.SetTensor(kGradInput, {images, channels, height, width}, dtype);
  // Each bin may touch the whole map, each pixel of which takes up to a thousand samples to place.
  draw.SetCost(static_cast<double>(bins * (height + width) + images * channels * height * width));
}

}  // namespace aclimb::roi_align_v2_backward
