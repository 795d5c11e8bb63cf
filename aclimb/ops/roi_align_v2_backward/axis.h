#pragma once

#include <cstdint>

namespace aclimb::roi_align_v2_backward {

// The attributes that place samples, as the caller gave them.
struct Sampling {
  float spatial_scale = 1.0f;
  int64_t sampling_ratio = 0;  // samples per bin and axis; 0 = by the size of the region
  bool aligned = false;
};

// One axis of one region: sample i of bin p lies at
// start + p * bin + (i + 0.5) * bin / grid, in float32 and in this order.
struct Axis {
  float start = 0.0f;
  float bin = 0.0f;
  float grid = 0.0f;  // samples per bin, by which weights are divided
  int64_t count = 0;  // samples per bin to visit; 0 when none can fall on the map
};

// low and high are the two edges of the box on this axis, bins the pooled size.
Axis MakeAxis(float low, float high, int64_t bins, const Sampling& sampling);

// The part of one axis that a table describes: some bins, and some pixels of the map.
struct AxisPart {
  int64_t first_bin = 0;
  int64_t bins = 0;
  int64_t extent = 0;  // pixels of the whole map
  int64_t begin = 0;   // the pixels [begin, end) are wanted
  int64_t end = 0;
};

// Pixels that get weight from an axis part.
struct PixelRange {
  int64_t first = 0;
  int64_t count = 0;
};

// Writes how much of bin b's gradient pixel first + i receives to table[i * part.bins + b]; the
// table has room for part.bins * (part.end - part.begin). The work is bounded by the samples that
// fall on the map, and where those are more than a thousand per pixel, by the pixels: a box of any
// size, infinite and NaN included, is quick.
PixelRange FillAxisTable(const Axis& axis, const AxisPart& part, float* table);

}  // namespace aclimb::roi_align_v2_backward
