#pragma once

#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/ops/roi_align_v2_backward/region.h"

namespace aclimb::roi_align_v2_backward {

// Terms that a pixel may add up in float32, one after the other; then the sum goes into a total in
// double, so that a long sum is as good as a short one. Equal terms are off by up to 8e-6 of their
// sum (totals-inl.h), a tenth of what a result is allowed. Where the benchmark's regions lie
// thickest a pixel adds up fewer, and so they never pay for totals.
inline constexpr int32_t kBlockTerms = 512;

// Terms are counted for all pixels of a cell together: no pixel has more than were counted, and
// counting costs a region nothing beside adding its terms.
inline constexpr int64_t kCellRows = 16;
inline constexpr int64_t kCellColumns = 16;

struct Cell {
  uint16_t terms = 0;       // since the float32 sums last went into totals
  bool had_totals = false;  // before this pass
  bool fills = false;       // for one of the regions of this pass it is full
  bool HasTotals() const { return had_totals || fills; }
};

// The cells of a window, row by row. Windows are whole cells, but for the ends of the map.
struct CellGrid {
  int64_t down = 0;
  int64_t across = 0;
  CellGrid() = default;
  CellGrid(int64_t rows, int64_t columns)
      : down(CeilDivide(rows, kCellRows)), across(CeilDivide(columns, kCellColumns)) {}
  int64_t Count() const { return down * across; }
};

// Counts the terms of one region in the cells it touches, and lists in region.full_cells those
// whose sums have no room for them: they go into totals before the region is added. To be called
// for the regions of an image in their order. What a cell counts does not depend on how windows,
// passes and tasks are cut.
void CountTerms(const CellGrid& grid, Cell* cells, Region& region);

}  // namespace aclimb::roi_align_v2_backward
