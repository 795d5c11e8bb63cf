#pragma once

#include <cstdint>

#include "aclimb/ops/roi_align_v2_backward/region.h"

namespace aclimb::roi_align_v2_backward {

// Channels that are summed together, one per lane: what differs between pixels is then the same for
// all lanes, and no lane is idle at the edges of a region.
inline constexpr int64_t kLanes = 16;

// Some rows of up to kLanes channels of one image, accumulated apart from the output.
struct Tile {
  float* sums = nullptr;  // [rows][columns][kLanes]
  float* work = nullptr;  // kTileWorkFloats
  int64_t channels = 0;
  int64_t first_row = 0;  // of the window
  int64_t rows = 0;
  int64_t columns = 0;
};

inline constexpr int64_t TileFloats(int64_t rows, int64_t columns) {
  return rows * columns * kLanes;
}

// Vectors of a region that is expanded along x, for some columns at a time: with the gradients, and
// a row of the map, they stay in a first-level cache.
inline constexpr int64_t kExpandedVectors = 384;
inline constexpr int64_t kStagedPixels = 256;
inline constexpr int64_t kTileWorkFloats =
    kLanes * (kMaxBins * kMaxBins + kExpandedVectors + 2 * kMaxBins + kStagedPixels + 16);

// grad_output, seen from the tile's first channel: strides in elements.
struct GradOutput {
  const float* data = nullptr;
  int64_t channel_stride = 0;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
};

// grad_input, seen from the tile's first channel and the window's corner.
struct GradInput {
  float* data = nullptr;
  int64_t channel_stride = 0;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  bool streams = false;  // the whole output is larger than the caches: write around them
};

// Each for the best instruction set of this processor.

void ClearTile(const Tile& tile);
void LoadTile(const Tile& tile, const GradInput& from);
void StoreTile(const Tile& tile, const GradInput& to);
// Zeros to rows [first, last) of the window.
void ClearOutput(const GradInput& to, int64_t channels, int64_t first, int64_t last,
                 int64_t columns);

// Adds the regions regions[order[i]], i in [0, count), in this order. Only pixels with a weight are
// touched: infinities and NaN stay where they belong.
void AddRegions(const Tile& tile, const GradOutput& grad, const Region* regions,
                const int32_t* order, int64_t count);

}  // namespace aclimb::roi_align_v2_backward
