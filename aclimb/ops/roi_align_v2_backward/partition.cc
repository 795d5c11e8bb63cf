#include "aclimb/ops/roi_align_v2_backward/partition.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/roi_align_v2_backward/cells.h"
#include "aclimb/ops/roi_align_v2_backward/region.h"
#include "aclimb/ops/roi_align_v2_backward/tile.h"

namespace aclimb::roi_align_v2_backward {
namespace {

constexpr int64_t kMinRowsPerTask = 8;
constexpr int64_t kTasksPerThread = 4;

// Products of extents of real tensors fit; this is for the estimate only.
double Bytes(const Problem& p) {
  const double output = 4.0 * static_cast<double>(p.images) * static_cast<double>(p.channels) *
                        static_cast<double>(p.height) * static_cast<double>(p.width);
  const double input = 4.0 * static_cast<double>(p.regions) * static_cast<double>(p.channels) *
                       static_cast<double>(p.pooled_height) * static_cast<double>(p.pooled_width);
  return output + input;
}

}  // namespace

Partition MakePartition(const Problem& problem, int threads, const Limits& limits) {
  Partition partition;
  partition.window_rows = std::min(problem.height, RoundUp(limits.window, kCellRows));
  partition.window_columns = std::min(problem.width, RoundUp(limits.window, kCellColumns));

  const int64_t wanted_tasks = threads > 1 ? threads * kTasksPerThread : 1;
  const int64_t blocks = problem.images * CeilDivide(problem.channels, kLanes);
  // As few bands as the cache allows, for regions on a cut are expanded twice; more when there are
  // few planes to share out.
  const int64_t row_floats = TileFloats(1, partition.window_columns);
  const int64_t bands =
      row_floats == 0 ? 1 : CeilDivide(partition.window_rows * row_floats, limits.tile_floats);
  partition.rows_per_task = CeilDivide(partition.window_rows, bands);
  if (blocks > 0 && blocks * bands < wanted_tasks) {
    const int64_t rows = CeilDivide(partition.window_rows, CeilDivide(wanted_tasks, blocks));
    partition.rows_per_task = std::min(partition.rows_per_task, std::max(rows, kMinRowsPerTask));
  }
  partition.rows_per_task = std::max<int64_t>(partition.rows_per_task, 1);

  const bool empty = problem.regions == 0 || problem.channels == 0 || problem.pooled_height == 0 ||
                     problem.pooled_width == 0 || problem.height == 0 || problem.width == 0;
  if (empty) return partition;

  partition.parts_y = CeilDivide(problem.pooled_height, kMaxBins);
  partition.parts_x = CeilDivide(problem.pooled_width, kMaxBins);
  partition.region_parts = problem.regions * partition.parts_y * partition.parts_x;
  const CellGrid grid(partition.window_rows, partition.window_columns);
  const int64_t bins_y = CeilDivide(problem.pooled_height, partition.parts_y);
  partition.has_totals = partition.region_parts > kBlockTerms / bins_y;
  const RegionExtent extent = {bins_y, CeilDivide(problem.pooled_width, partition.parts_x),
                               partition.window_rows, partition.window_columns,
                               partition.has_totals ? grid.Count() : 0};
  partition.table_bytes = RegionTableBytes(extent);
  const int64_t budget = static_cast<int64_t>(
      std::clamp(Bytes(problem) / 8, static_cast<double>(limits.min_table_bytes),
                 static_cast<double>(limits.max_table_bytes)));
  partition.parts_per_pass =
      std::clamp<int64_t>(budget / partition.table_bytes, 1, partition.region_parts);

  partition.workers = std::max(threads, 1);
  const int64_t sums = TileFloats(partition.rows_per_task, partition.window_columns);
  partition.worker_bytes =
      RoundUp(std::max((sums + kTileWorkFloats) * 4, RegionBuildBytes(extent)), 64);
  if (partition.has_totals) {
    partition.tile_totals = sums;
    partition.cells = problem.images * grid.Count();
    if (!partition.OnePass()) {
      partition.kept_totals =
          problem.images * problem.channels * partition.window_rows * partition.window_columns;
    }
  }
  partition.scratch_bytes =
      partition.workers * partition.worker_bytes +
      partition.parts_per_pass *
          (partition.table_bytes + static_cast<int64_t>(sizeof(Region) + sizeof(int32_t))) +
      (partition.workers * partition.tile_totals + partition.kept_totals) * 8 +
      partition.cells * static_cast<int64_t>(sizeof(Cell)) + 512;
  return partition;
}

}  // namespace aclimb::roi_align_v2_backward
