#include "aclimb/ops/roi_align_v2_backward/cpu.h"

#include <algorithm>
#include <cmath>

#include "aclimb/core/divide.h"
#include "aclimb/ops/roi_align_v2_backward/cells.h"
#include "aclimb/ops/roi_align_v2_backward/region.h"
#include "aclimb/ops/roi_align_v2_backward/tile.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::roi_align_v2_backward {
namespace {

struct Window {
  int64_t first_row;
  int64_t rows;
  int64_t first_column;
  int64_t columns;
};

// Whether it is the first or the last pass over a window.
struct Pass {
  bool first;
  bool last;
};

class Run {
 public:
  explicit Run(const Args& args)
      : args_(args),
        partition_(args.partition),
        problem_(ProblemOf(args.grad_output, args.grad_input)),
        slots_(args.partition.workers) {
    // Beyond the caches the output does not stay until somebody reads it.
    streams_ = 4 * args.grad_input.ElementCount() > CacheShareBytes();
    Carve();
  }

  void All() {
    for (int64_t y = 0; y < problem_.height; y += partition_.window_rows) {
      for (int64_t x = 0; x < problem_.width; x += partition_.window_columns) {
        const Window window = {y, std::min(partition_.window_rows, problem_.height - y), x,
                               std::min(partition_.window_columns, problem_.width - x)};
        if (!Sweep(window)) return;
      }
    }
  }

 private:
  // Cuts the scratch memory up.
  void Carve() {
    if (partition_.scratch_bytes == 0) return;
    uintptr_t at = RoundUp(reinterpret_cast<uintptr_t>(args_.scratch), 64u);
    const auto take = [&](int64_t bytes) {
      const uintptr_t piece = at;
      at += static_cast<uintptr_t>(RoundUp(bytes, 64));
      return piece;
    };
    workers_ = reinterpret_cast<char*>(take(partition_.workers * partition_.worker_bytes));
    regions_ = reinterpret_cast<Region*>(take(partition_.parts_per_pass * int64_t{sizeof(Region)}));
    order_ = reinterpret_cast<int32_t*>(take(partition_.parts_per_pass * int64_t{sizeof(int32_t)}));
    cells_ = reinterpret_cast<Cell*>(take(partition_.cells * int64_t{sizeof(Cell)}));
    tables_ = reinterpret_cast<char*>(take(partition_.parts_per_pass * partition_.table_bytes));
    // The last, since they are seldom touched.
    kept_totals_ =
        reinterpret_cast<double*>(take(partition_.kept_totals * int64_t{sizeof(double)}));
    tile_totals_ = reinterpret_cast<double*>(at);
  }

  // A worker's memory for the duration of one piece of a loop.
  float* MemoryOf(const Slots::Lease& worker) const {
    return reinterpret_cast<float*>(workers_ + worker.number() * partition_.worker_bytes);
  }

  template <typename Body>
  bool For(int64_t count, int64_t grain, const Body& body) const {
    return ParallelForAll(count, grain, body);
  }

  // False when the run was cancelled: what later steps would read is then missing.
  bool Sweep(const Window& window) {
    grid_ = CellGrid(window.rows, window.columns);
    std::fill_n(cells_, partition_.cells, Cell());
    any_totals_ = false;
    int64_t first = 0;
    do {
      const int64_t count = std::min(partition_.parts_per_pass, partition_.region_parts - first);
      if (!Build(window, first, count)) return false;
      Sort(count);
      if (partition_.has_totals) Count();
      const Pass pass = {first == 0, first + count == partition_.region_parts};
      if (!Accumulate(window, pass)) return false;
      first += count;
    } while (first < partition_.region_parts);
    return true;
  }

  bool Build(const Window& window, int64_t first, int64_t count) const {
    return For(count, 8, [&](int64_t begin, int64_t end) {
      const Slots::Lease worker(slots_);
      for (int64_t i = begin; i < end; ++i) BuildOne(window, first + i, i, MemoryOf(worker));
    });
  }

  void BuildOne(const Window& window, int64_t part, int64_t slot, float* work) const {
    Region& region = regions_[slot];
    region = Region();
    const int64_t part_x = part % partition_.parts_x;
    const int64_t part_y = part / partition_.parts_x % partition_.parts_y;
    const int64_t k = part / partition_.parts_x / partition_.parts_y;
    const auto box = [&](int64_t column) {
      return args_.boxes
          .As<const float>()[k * args_.boxes.stride[0] + column * args_.boxes.stride[1]];
    };
    const float image = std::floor(box(0));
    if (!(image >= 0.0f && image < static_cast<float>(problem_.images))) return;
    const auto bins = [](int64_t pooled, int64_t parts, int64_t index) {
      const int64_t begin = Partition::FirstBin(pooled, parts, index);
      return AxisPart{begin, Partition::FirstBin(pooled, parts, index + 1) - begin, 0, 0, 0};
    };
    RegionSource source;
    source.axis_y = MakeAxis(box(2), box(4), problem_.pooled_height, args_.sampling);
    source.axis_x = MakeAxis(box(1), box(3), problem_.pooled_width, args_.sampling);
    source.part_y = bins(problem_.pooled_height, partition_.parts_y, part_y);
    source.part_x = bins(problem_.pooled_width, partition_.parts_x, part_x);
    source.part_y.extent = problem_.height;
    source.part_y.begin = window.first_row;
    source.part_y.end = window.first_row + window.rows;
    source.part_x.extent = problem_.width;
    source.part_x.begin = window.first_column;
    source.part_x.end = window.first_column + window.columns;
    char* table = tables_ + slot * partition_.table_bytes;
    if (!BuildRegion(source, table, work, region)) return;
    region.image = static_cast<int64_t>(image);
    region.grad_offset = k * args_.grad_output.stride[0] +
                         source.part_y.first_bin * args_.grad_output.stride[2] +
                         source.part_x.first_bin * args_.grad_output.stride[3];
  }

  // The regions of one image next to each other, in their own order.
  void Sort(int64_t count) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (regions_[i].image >= 0) order_[kept++] = static_cast<int32_t>(i);
    }
    ordered_ = kept;
    const auto before = [this](int32_t a, int32_t b) {
      return regions_[a].image != regions_[b].image ? regions_[a].image < regions_[b].image : a < b;
    };
    if (!std::is_sorted(order_, order_ + kept, before)) std::sort(order_, order_ + kept, before);
  }

  // On one thread, since each region's marks depend on those before it; it takes no longer than
  // the sort.
  void Count() {
    if (any_totals_) {
      for (int64_t i = 0; i < partition_.cells; ++i) {
        cells_[i].had_totals = cells_[i].HasTotals();
        cells_[i].fills = false;
      }
    }
    for (int64_t i = 0; i < ordered_; ++i) {
      Region& region = regions_[order_[i]];
      CountTerms(grid_, cells_ + region.image * grid_.Count(), region);
      any_totals_ = any_totals_ || region.full_count > 0;
    }
  }

  bool Accumulate(const Window& window, Pass pass) const {
    const int64_t bands = CeilDivide(window.rows, partition_.rows_per_task);
    const int64_t blocks = CeilDivide(problem_.channels, kLanes);
    // Images innermost: when one of them has all the regions, every thread gets some of it.
    return For(problem_.images * bands * blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t image = task % problem_.images;
        const int64_t band = task / problem_.images % bands;
        const int64_t channel = task / problem_.images / bands * kLanes;
        AccumulateOne(window, pass, image, channel, band * partition_.rows_per_task);
      }
    });
  }

  void AccumulateOne(const Window& window, Pass pass, int64_t image, int64_t channel,
                     int64_t row) const {
    const int64_t channels = std::min(kLanes, problem_.channels - channel);
    const int64_t end_row = std::min(row + partition_.rows_per_task, window.rows);
    const int32_t* begin = std::partition_point(
        order_, order_ + ordered_, [&](int32_t i) { return regions_[i].image < image; });
    const int32_t* end = begin;
    // The rows that regions reach; the others need no sums.
    int64_t low = end_row;
    int64_t high = row;
    const auto reach = [&](int64_t first, int64_t rows) {
      if (first >= end_row || first + rows <= row) return;
      low = std::min(low, std::max(first, row));
      high = std::max(high, std::min(first + rows, end_row));
    };
    for (; end < order_ + ordered_ && regions_[*end].image == image; ++end) {
      const Region& region = regions_[*end];
      reach(region.first_row, region.rows);
      for (int32_t k = 0; k < region.full_count; ++k) {
        reach(region.full_cells[k] / grid_.across * kCellRows, kCellRows);
      }
    }
    const Cell* cells = cells_ + image * grid_.Count();
    if (any_totals_ && pass.last) {
      // Also those of earlier passes.
      for (int64_t i = row / kCellRows * grid_.across; i < grid_.Count(); ++i) {
        if (cells[i].HasTotals()) reach(i / grid_.across * kCellRows, kCellRows);
      }
    }
    const TensorView& out = args_.grad_input;
    const GradInput grad_input = {out.As<float>() + image * out.stride[0] +
                                      channel * out.stride[1] + window.first_row * out.stride[2] +
                                      window.first_column * out.stride[3],
                                  out.stride[1], out.stride[2], out.stride[3], streams_};
    if (pass.first) {
      ClearOutput(grad_input, channels, row, std::min(low, end_row), window.columns);
      ClearOutput(grad_input, channels, std::max(high, low), end_row, window.columns);
    }
    if (low >= high) return;

    const Slots::Lease worker(slots_);
    const TensorView& in = args_.grad_output;
    const Tile tile = {MemoryOf(worker) + kTileWorkFloats,
                       MemoryOf(worker),
                       channels,
                       low,
                       high - low,
                       window.columns,
                       tile_totals_ + worker.number() * partition_.tile_totals,
                       cells,
                       grid_,
                       pass.last};
    double* kept =
        kept_totals_ + (image * problem_.channels + channel) * window.rows * window.columns;
    if (pass.first) {
      ClearTile(tile);
    } else {
      LoadTile(tile, grad_input);
    }
    if (any_totals_) StartTotals(tile, kept);
    AddRegions(
        tile,
        {in.As<const float>() + channel * in.stride[1], in.stride[1], in.stride[2], in.stride[3]},
        regions_, begin, end - begin);
    if (any_totals_ && pass.last) FinishTotals(tile);
    if (any_totals_ && !pass.last) KeepTotals(tile, kept);
    StoreTile(tile, grad_input);
  }

  const Args& args_;
  const Partition& partition_;
  const Problem problem_;
  bool streams_ = false;
  mutable Slots slots_;
  char* workers_ = nullptr;
  Region* regions_ = nullptr;
  int32_t* order_ = nullptr;
  char* tables_ = nullptr;
  Cell* cells_ = nullptr;
  CellGrid grid_;
  bool any_totals_ = false;
  double* tile_totals_ = nullptr;
  double* kept_totals_ = nullptr;
  int64_t ordered_ = 0;
};

}  // namespace

double CyclesOf(const Problem& problem) {
  constexpr double kCyclesPerElement = 2;
  const double pooled = static_cast<double>(problem.pooled_height) *
                        static_cast<double>(problem.pooled_width) *
                        static_cast<double>(problem.channels);
  const double map = static_cast<double>(problem.height) * static_cast<double>(problem.width) *
                     static_cast<double>(problem.channels);
  return kCyclesPerElement * (static_cast<double>(problem.regions) * (pooled + 5) +
                              static_cast<double>(problem.images) * map);
}

Problem ProblemOf(const TensorView& grad_output, const TensorView& grad_input) {
  return {grad_output.shape[0], grad_input.shape[0], grad_input.shape[1], grad_output.shape[2],
          grad_output.shape[3], grad_input.shape[2], grad_input.shape[3]};
}

void RunOnCpu(const Args& args) {
  if (args.grad_input.ElementCount() == 0) return;
  Run(args).All();
}

}  // namespace aclimb::roi_align_v2_backward
