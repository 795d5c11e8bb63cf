#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/roi_align_v2_backward/axis.h"

namespace aclimb::roi_align_v2_backward {

// RoIAlign itself: the mean of bilinear samples in each bin of each region.
struct PoolArgs {
  TensorView input;   // [B, C, H, W] float32 or float16, strided
  TensorView boxes;   // [K, 5], the same dtype: image, x1, y1, x2, y2; or [K, 4] without image
  TensorView images;  // [K] INT32 beside boxes without image
  TensorView output;  // [K, C, pooled height, pooled width], the same dtype, not empty
  Sampling sampling;
  void* scratch = nullptr;  // slots * PoolSlotBytes, 64-byte aligned
  int64_t slots = 1;        // regions that are worked on at a time, at most
};

// Negative when that is past int64.
int64_t PoolSlotBytes(const TensorView& input, const TensorView& output);
// What a run takes on one core, about.
double PoolCycles(const TensorView& input, const TensorView& output);

// Regions whose image is outside [0, B), or has no pixels, are zeros. Sums are in float32, in an
// order that the region alone decides.
//   source  He et al., Mask R-CNN, 2017, section 3; the operator's document
void Pool(const PoolArgs& args);

}  // namespace aclimb::roi_align_v2_backward
