#pragma once

#include <cstdint>

#include "aclimb/ops/roi_align_v2_backward/axis.h"

namespace aclimb::roi_align_v2_backward {

// Bins of a region part along each axis; larger pooled sizes are cut into parts.
inline constexpr int64_t kMaxBins = 16;

// A region's gradient is first expanded along x into rows of pixels, one for each vertical bin, and
// these rows are then added to the map's rows. Expanded rows lie kExpandedStride apart, an odd
// number of cache lines; row 0 is all zeros and bin h is row h + 1.
inline constexpr int64_t kExpandedColumns = 512;
inline constexpr int64_t kExpandedStride = kExpandedColumns + 16;
inline constexpr int64_t kExpandedFloats = (kMaxBins + 1) * kExpandedStride;

// Two expanded rows that a row of the map receives, and how much of each. An odd number of terms is
// filled up with expanded row 0.
struct RowTerms {
  float weight[2];
  int32_t offset[2];  // floats from the start of expanded row 0
};

// The horizontal bins [begin, end) that touch a group of kGroup pixels.
struct BinRange {
  int16_t begin;
  int16_t end;
};

// One part of one region within one window of the map: two sparse matrices, shared by all channels.
// Rows and columns count from the window's corner.
struct Region {
  int64_t image = -1;       // -1: nothing of it falls on the window
  int64_t grad_offset = 0;  // elements from the first one of grad_output, channel 0
  int32_t first_row = 0;
  int32_t rows = 0;
  int32_t first_column = 0;
  int32_t groups = 0;  // of kGroup columns; the last may reach past the window with zero weights
  int32_t bins_y = 0;
  int32_t bins_x = 0;
  const int32_t* row_begin = nullptr;  // [rows + 1] into terms
  const RowTerms* terms = nullptr;
  const BinRange* bins_of_group = nullptr;  // [groups]
  const float* weights = nullptr;           // [groups][bins_x][kGroup], the table's first array
  int64_t table_bytes = 0;                  // all four arrays lie within
};

// The largest part that tables must hold.
struct RegionExtent {
  int64_t bins_y = 0;
  int64_t bins_x = 0;
  int64_t rows = 0;
  int64_t columns = 0;
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
