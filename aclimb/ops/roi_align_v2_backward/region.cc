#include "aclimb/ops/roi_align_v2_backward/region.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/roi_align_v2_backward/cells.h"

namespace aclimb::roi_align_v2_backward {
namespace {

// Hands out arrays one after the other: a small region then costs few cache lines, however large
// the map is.
class Packer {
 public:
  explicit Packer(char* at) : at_(at) {}
  template <typename T>
  T* Here() const {
    static_assert(alignof(T) == alignof(int32_t));
    return reinterpret_cast<T*>(at_);
  }
  template <typename T>
  void Take(int64_t count) {
    at_ += count * int64_t{sizeof(T)};
  }

 private:
  char* at_;
};

// The terms of pixel i of a dense table; zero weights are none.
int32_t AppendTerms(const float* table, int64_t bins, int64_t pixel, Term* terms, int32_t count) {
  const float* weights = table + pixel * bins;
  for (int64_t bin = 0; bin < bins; ++bin) {
    if (weights[bin] != 0.0f) terms[count++] = {weights[bin], static_cast<int32_t>(bin)};
  }
  return count;
}

}  // namespace

int64_t RegionTableBytes(const RegionExtent& e) {
  const int64_t begins = (e.rows + 1 + e.columns + 1) * int64_t{sizeof(int32_t)};
  const int64_t runs = (e.columns + 1) / 2 * int64_t{sizeof(ColumnRun)};
  const int64_t terms = (e.rows * e.bins_y + e.columns * e.bins_x) * int64_t{sizeof(Term)};
  const int64_t cells = (CeilDivide(e.rows, kCellRows) + e.cells) * int64_t{sizeof(int32_t)};
  // A further line: tables a power of two apart would fight for the same cache sets.
  return RoundUp(begins + runs + terms + cells, 64) + 64;
}

int64_t RegionBuildBytes(const RegionExtent& e) {
  return std::max(e.bins_y * e.rows, e.bins_x * e.columns) * int64_t{sizeof(float)};
}

bool BuildRegion(const RegionSource& source, char* table, float* work, Region& region) {
  const int64_t bins_x = source.part_x.bins;
  const int64_t bins_y = source.part_y.bins;
  Packer packer(table);
  const PixelRange columns = FillAxisTable(source.axis_x, source.part_x, work);
  if (columns.count == 0) return false;
  // The largest numbers first, what is left over is given back after each array.
  int32_t* column_begin = packer.Here<int32_t>();
  packer.Take<int32_t>(columns.count + 1);
  ColumnRun* runs = packer.Here<ColumnRun>();
  packer.Take<ColumnRun>((columns.count + 1) / 2);
  Term* column_terms = packer.Here<Term>();
  int32_t touched = 0;
  int32_t run_count = 0;
  int32_t terms = 0;
  for (int64_t i = 0; i < columns.count; ++i) {
    const int32_t next = AppendTerms(work, bins_x, i, column_terms, terms);
    if (next == terms) continue;
    const int32_t column = static_cast<int32_t>(columns.first - source.part_x.begin + i);
    if (run_count == 0 || runs[run_count - 1].first + runs[run_count - 1].count != column) {
      runs[run_count++] = {column, 0};
    }
    ++runs[run_count - 1].count;
    column_begin[touched++] = terms;
    terms = next;
  }
  column_begin[touched] = terms;
  if (touched == 0) return false;
  packer.Take<Term>(terms);

  const PixelRange rows = FillAxisTable(source.axis_y, source.part_y, work);
  if (rows.count == 0) return false;
  int32_t* row_begin = packer.Here<int32_t>();
  packer.Take<int32_t>(rows.count + 1);
  Term* row_terms = packer.Here<Term>();
  terms = 0;
  for (int64_t i = 0; i < rows.count; ++i) {
    row_begin[i] = terms;
    terms = AppendTerms(work, bins_y, i, row_terms, terms);
  }
  row_begin[rows.count] = terms;
  packer.Take<Term>(terms);

  const int64_t first_row = rows.first - source.part_y.begin;
  const int64_t cell_rows = (first_row + rows.count - 1) / kCellRows - first_row / kCellRows + 1;
  int32_t* cell_terms = packer.Here<int32_t>();
  packer.Take<int32_t>(cell_rows);
  int64_t row = 0;
  for (int64_t cell = 0; cell < cell_rows; ++cell) {
    const int64_t end = (first_row / kCellRows + cell + 1) * kCellRows - first_row;
    int32_t most = 0;
    for (; row < std::min(end, rows.count); ++row) {
      most = std::max(most, row_begin[row + 1] - row_begin[row]);
    }
    cell_terms[cell] = most;
  }

  region.first_row = static_cast<int32_t>(first_row);
  region.rows = static_cast<int32_t>(rows.count);
  region.columns = touched;
  region.runs = run_count;
  region.bins_y = static_cast<int32_t>(bins_y);
  region.bins_x = static_cast<int32_t>(bins_x);
  region.column_runs = runs;
  region.row_begin = row_begin;
  region.column_begin = column_begin;
  region.row_terms = row_terms;
  region.column_terms = column_terms;
  region.cell_terms = cell_terms;
  region.full_cells = packer.Here<int32_t>();
  return true;
}

}  // namespace aclimb::roi_align_v2_backward
