#pragma once

#include <cstdint>

#include "aclimb/ops/roi_align_v2_backward/axis.h"

namespace aclimb::roi_align_v2_backward {

// Bins of a region part along each axis; larger pooled sizes are cut into parts.
inline constexpr int64_t kMaxBins = 16;

// A bin that a row or a column of the map receives gradient from, and how much of it.
struct Term {
  float weight;
  int32_t bin;
};

// Columns next to each other that receive something.
struct ColumnRun {
  int32_t first;
  int32_t count;
};

// One part of one region within one window of the map: two sparse matrices, shared by all channels.
// Rows and columns count from the window's corner.
struct Region {
  int64_t image = -1;       // -1: nothing of it falls on the window
  int64_t grad_offset = 0;  // elements from the first one of grad_output, channel 0
  int32_t first_row = 0;
  int32_t rows = 0;     // those without terms included
  int32_t columns = 0;  // those with terms alone, in runs
  int32_t runs = 0;
  int32_t bins_y = 0;
  int32_t bins_x = 0;
  const ColumnRun* column_runs = nullptr;
  const int32_t* row_begin = nullptr;     // [rows + 1] into row_terms
  const int32_t* column_begin = nullptr;  // [columns + 1] into column_terms
  const Term* row_terms = nullptr;
  const Term* column_terms = nullptr;
  // Most terms of a row, for each row of cells (cells.h) from that of first_row on.
  const int32_t* cell_terms = nullptr;
  // Cells whose sums go into totals before this region is added; room for all of a window.
  int32_t* full_cells = nullptr;
  int32_t full_count = 0;
};

// The largest part that tables must hold.
struct RegionExtent {
  int64_t bins_y = 0;
  int64_t bins_x = 0;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t cells = 0;  // that full_cells must hold
};
int64_t RegionTableBytes(const RegionExtent& extent);  // a multiple of 64
// Memory that BuildRegion works in.
int64_t RegionBuildBytes(const RegionExtent& extent);

// What one region part is made of.
struct RegionSource {
  Axis axis_y;
  Axis axis_x;
  AxisPart part_y;
  AxisPart part_x;
};

// Fills the tables and every field of `region` except image and grad_offset. False when nothing
// falls on the window.
//   table  RegionTableBytes, 64-byte aligned    work  RegionBuildBytes
bool BuildRegion(const RegionSource& source, char* table, float* work, Region& region);

}  // namespace aclimb::roi_align_v2_backward
