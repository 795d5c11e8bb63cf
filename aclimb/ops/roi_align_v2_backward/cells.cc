#include "aclimb/ops/roi_align_v2_backward/cells.h"

#include <algorithm>

namespace aclimb::roi_align_v2_backward {

static_assert(kBlockTerms >= kMaxBins, "a region fits into an empty block");

void CountTerms(const CellGrid& grid, Cell* cells, Region& region) {
  const int64_t first_y = region.first_row / kCellRows;
  const int64_t last_y = (region.first_row + region.rows - 1) / kCellRows;
  for (int64_t y = first_y; y <= last_y; ++y) {
    const int32_t terms = region.cell_terms[y - first_y];
    if (terms == 0) continue;
    int64_t next_x = 0;  // two runs may share a cell
    for (int32_t run = 0; run < region.runs; ++run) {
      const ColumnRun& columns = region.column_runs[run];
      int64_t x = std::max(next_x, columns.first / kCellColumns);
      next_x = (columns.first + columns.count - 1) / kCellColumns + 1;
      for (; x < next_x; ++x) {
        Cell& cell = cells[y * grid.across + x];
        if (cell.terms + terms > kBlockTerms) {
          region.full_cells[region.full_count++] = static_cast<int32_t>(y * grid.across + x);
          cell.fills = true;
          cell.terms = 0;
        }
        cell.terms = static_cast<uint16_t>(cell.terms + terms);
      }
    }
  }
}

}  // namespace aclimb::roi_align_v2_backward
