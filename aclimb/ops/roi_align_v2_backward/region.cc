#include "aclimb/ops/roi_align_v2_backward/region.h"

namespace aclimb::roi_align_v2_backward {
namespace {

int64_t Aligned(int64_t bytes, int64_t to) { return (bytes + to - 1) / to * to; }
int64_t Groups(int64_t columns) { return (columns + kGroup - 1) / kGroup; }

// Where each array of a table starts, for a part of that very size: tables are packed, so that
// a small region costs few cache lines however large the map is.
struct Layout {
  int64_t bins_of_group;
  int64_t row_begin;
  int64_t terms;
  int64_t end;  // of the largest number of terms

  // The weights, groups * bins_x * kGroup floats, come first.
  Layout(int64_t bins_y, int64_t bins_x, int64_t rows, int64_t groups) {
    bins_of_group = groups * bins_x * kGroup * int64_t{sizeof(float)};
    row_begin = bins_of_group + groups * int64_t{sizeof(BinRange)};
    terms = Aligned(row_begin + (rows + 1) * int64_t{sizeof(int32_t)}, alignof(RowTerms));
    end = terms + rows * ((bins_y + 1) / 2) * int64_t{sizeof(RowTerms)};
  }
};

// The rows that `table` gives weight to, as terms; zero weights are left out.
void CompressRows(const float* table, int64_t bins, int64_t rows, int32_t* row_begin,
                  RowTerms* terms) {
  int32_t count = 0;
  for (int64_t row = 0; row < rows; ++row) {
    row_begin[row] = count;
    const float* column = table + row / kGroup * bins * kGroup + row % kGroup;
    int half = 0;
    for (int64_t bin = 0; bin < bins; ++bin) {
      const float weight = column[bin * kGroup];
      if (weight == 0.0f) continue;
      const int32_t offset = static_cast<int32_t>((bin + 1) * kExpandedStride);
      if (half == 0) {
        terms[count] = {{weight, 0.0f}, {offset, 0}};
      } else {
        terms[count].weight[1] = weight;
        terms[count].offset[1] = offset;
        ++count;
      }
      half ^= 1;
    }
    count += half;
  }
  row_begin[rows] = count;
}

void FindBins(const float* weights, int64_t bins, int64_t groups, BinRange* ranges) {
  for (int64_t group = 0; group < groups; ++group) {
    BinRange range = {0, 0};
    for (int64_t bin = 0; bin < bins; ++bin) {
      const float* lane = weights + (group * bins + bin) * kGroup;
      bool touched = false;
      for (int64_t i = 0; i < kGroup; ++i) touched = touched || lane[i] != 0.0f;
      if (!touched) continue;
      if (range.end == 0) range.begin = static_cast<int16_t>(bin);
      range.end = static_cast<int16_t>(bin + 1);
    }
    ranges[group] = range;
  }
}

}  // namespace

int64_t RegionTableBytes(const RegionExtent& e) {
  // A further line: tables a power of two apart would fight for the same cache sets.
  return Aligned(Layout(e.bins_y, e.bins_x, e.rows, Groups(e.columns)).end, 64) + 64;
}
int64_t RegionBuildBytes(const RegionExtent& extent) {
  return AxisTableFloats(extent.bins_y, extent.rows) * int64_t{sizeof(float)};
}

bool BuildRegion(const RegionSource& source, char* table, float* work, Region& region) {
  float* weights = reinterpret_cast<float*>(table);
  const PixelRange columns = FillAxisTable(source.axis_x, source.part_x, weights);
  if (columns.count == 0) return false;
  const PixelRange rows = FillAxisTable(source.axis_y, source.part_y, work);
  if (rows.count == 0) return false;

  const int64_t groups = Groups(columns.count);
  const Layout layout(source.part_y.bins, source.part_x.bins, rows.count, groups);
  int32_t* row_begin = reinterpret_cast<int32_t*>(table + layout.row_begin);
  RowTerms* terms = reinterpret_cast<RowTerms*>(table + layout.terms);
  BinRange* ranges = reinterpret_cast<BinRange*>(table + layout.bins_of_group);
  CompressRows(work, source.part_y.bins, rows.count, row_begin, terms);
  FindBins(weights, source.part_x.bins, groups, ranges);

  region.first_row = static_cast<int32_t>(rows.first - source.part_y.begin);
  region.rows = static_cast<int32_t>(rows.count);
  region.first_column = static_cast<int32_t>(columns.first - source.part_x.begin);
  region.groups = static_cast<int32_t>(groups);
  region.bins_y = static_cast<int32_t>(source.part_y.bins);
  region.bins_x = static_cast<int32_t>(source.part_x.bins);
  region.row_begin = row_begin;
  region.terms = terms;
  region.bins_of_group = ranges;
  region.weights = weights;
  region.table_bytes = layout.terms + row_begin[rows.count] * int64_t{sizeof(RowTerms)};
  return true;
}

}  // namespace aclimb::roi_align_v2_backward
