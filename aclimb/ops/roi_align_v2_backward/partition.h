#pragma once

#include <cstdint>

namespace aclimb::roi_align_v2_backward {

struct Problem {
  int64_t regions = 0;
  int64_t images = 0;
  int64_t channels = 0;
  int64_t pooled_height = 0;
  int64_t pooled_width = 0;
  int64_t height = 0;
  int64_t width = 0;
};

// How the work is cut, and the scratch memory that needs. Depends on shapes alone, not on boxes.
//
// The map is swept window by window, so that tables stay small for huge maps; within a window, the
// region parts (a region, or some of its bins where the pooled size is large) pass by pass, so that
// tables of all regions need not exist at once; within a pass, every task accumulates some rows of
// kLanes channels of one image in a tile that fits a core's own cache. No choice changes any sum's
// order: a pixel adds its regions in their order, in the same blocks, whatever the windows, passes
// and tasks are.
struct Partition {
  int64_t window_rows = 0;
  int64_t window_columns = 0;
  int64_t parts_y = 0;  // parts of a region along each axis
  int64_t parts_x = 0;
  int64_t region_parts = 0;    // of all regions together
  int64_t parts_per_pass = 0;  // region parts whose tables exist at once
  int64_t rows_per_task = 0;
  // Whether a pixel may add up so many terms that some of its sum goes into a total (cells.h).
  bool has_totals = false;
  int64_t workers = 0;  // tasks that may run at once; more threads than that take turns

  int64_t table_bytes = 0;   // of one region part
  int64_t worker_bytes = 0;  // of one worker
  int64_t tile_totals = 0;   // doubles of one worker
  int64_t cells = 0;         // of all images in one window
  int64_t kept_totals = 0;   // doubles that are kept from pass to pass
  int64_t scratch_bytes = 0;

  bool OnePass() const { return parts_per_pass == region_parts; }

  // The bins of part `part` of `parts` along an axis with `bins` of them: evenly cut.
  static int64_t FirstBin(int64_t bins, int64_t parts, int64_t part) { return bins * part / parts; }
};

// What the cuts aim at. Tests shrink them; no choice changes a bit of the result.
struct Limits {
  // Beyond this extent of the map the tables of one region would outgrow the sums they serve.
  // Rounded up to whole cells.
  int64_t window = 2048;
  // Sums of one task: three quarters of a 1 MiB second-level cache; gradients and tables pass by.
  int64_t tile_floats = 192 * 1024;
  // Tables take an eighth of what the tensors take, but between these.
  int64_t min_table_bytes = int64_t{8} << 20;
  int64_t max_table_bytes = int64_t{256} << 20;
};

Partition MakePartition(const Problem& problem, int threads, const Limits& limits = {});

}  // namespace aclimb::roi_align_v2_backward
