#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/ops/roi_align_v2_backward/cells.h"
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
  double* totals = nullptr;     // as sums, of the cells that have totals
  const Cell* cells = nullptr;  // of the image in this window, all regions of this pass counted
  CellGrid grid = {};
  bool last_pass = false;
};

// Calls body(row, column, count) for the pixels of a cell that lie in the tile, row by row.
template <class Body>
void EachRowOfCell(const Tile& tile, int64_t cell, const Body& body) {
  const int64_t row = cell / tile.grid.across * kCellRows;
  const int64_t column = cell % tile.grid.across * kCellColumns;
  const int64_t count = std::min(kCellColumns, tile.columns - column);
  const int64_t end = std::min(row + kCellRows, tile.first_row + tile.rows);
  for (int64_t r = std::max(row, tile.first_row); r < end; ++r) body(r, column, count);
}

// Calls body(cell, row, column, count) for the pixels of the tile whose totals this pass needs: it
// adds to them, or as the last pass it adds them to the sums.
template <class Body>
void EachTotal(const Tile& tile, const Body& body) {
  const int64_t begin = tile.first_row / kCellRows * tile.grid.across;
  const int64_t end = CeilDivide(tile.first_row + tile.rows, kCellRows) * tile.grid.across;
  for (int64_t i = begin; i < end; ++i) {
    if (!tile.cells[i].fills && !(tile.last_pass && tile.cells[i].had_totals)) continue;
    EachRowOfCell(tile, i, [&](int64_t row, int64_t column, int64_t count) {
      body(tile.cells[i], row, column, count);
    });
  }
}

// Where a pixel's sums and totals start.
inline int64_t OffsetOf(const Tile& tile, int64_t row, int64_t column) {
  return ((row - tile.first_row) * tile.columns + column) * kLanes;
}

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

// Totals that are kept from pass to pass, of the tile's channels in the whole window:
// kept[(row * columns + column) * channels + channel].
//
// Takes from there what earlier passes kept; totals that this pass is the first to need are zero.
void StartTotals(const Tile& tile, const double* kept);
void KeepTotals(const Tile& tile, double* kept);
// sums = totals + sums where there are totals.
void FinishTotals(const Tile& tile);

// Adds the regions regions[order[i]], i in [0, count), in this order. Only pixels with a weight are
// touched: infinities and NaN stay where they belong.
void AddRegions(const Tile& tile, const GradOutput& grad, const Region* regions,
                const int32_t* order, int64_t count);

}  // namespace aclimb::roi_align_v2_backward
