#include "aclimb/ops/roi_align_v2_backward/pool.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "aclimb/copy/convert.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/ops/roi_align_v2_backward/pool_kernels.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::roi_align_v2_backward {
namespace {

// Regions with all their channels, or fewer of them, that a loop is cut into at least.
constexpr int64_t kPieces = 32;

// Columns between the first and the last one that bins read, for each that they do read, from which
// on those alone are taken. Of fewer, all are, as they lie in memory.
constexpr int64_t kSparse = 4;

// Where bins have at least so many rows to a column, each row's part of a column is added up first,
// for all bins: the map is turned. Half types are widened along rows.
constexpr int64_t kTall = 4;
bool IsTall(const TensorView& input, const TensorView& output) {
  return input.dtype == DType::kFloat32 && output.shape[2] >= kTall * output.shape[3];
}
TensorView Turned(TensorView view) {
  std::swap(view.shape[2], view.shape[3]);
  std::swap(view.stride[2], view.stride[3]);
  return view;
}

// The largest tables that a slot holds, each at its place in bytes.
struct SlotLayout {
  int64_t table = 0, rows = 0, begins = 0;
  int64_t columns = 0, weights = 0, ranges = 0;
  int64_t wide = 0, sums = 0, pooled = 0;
  int64_t bytes = 0;

  SlotLayout(const TensorView& input, const TensorView& output) {
    const int64_t bins = RoundUp(output.shape[3], kMostPoolLanes);
    pooled = Take<float>(bins);
    // Where no region has pixels, extents may be anything.
    if (input.ElementCount() > 0) {
      const int64_t height = input.shape[2], width = input.shape[3];
      table = Take<float>(std::max(output.shape[2] * height, output.shape[3] * width));
      rows = Take<RowSample>(output.shape[2] * height);
      begins = Take<int32_t>(output.shape[2] + 1);
      columns = Take<int32_t>(width);
      weights = Take<float>(bins * width);
      ranges = Take<ColumnRange>(bins);  // as many as vectors of one lane
      wide = Take<float>(width);
      sums = Take<float>(RoundUp(width, kMostPoolLanes));
    }
    // A further line: tables a power of two apart would fight for the same cache sets.
    bytes += 64;
  }

 private:
  template <typename T>
  int64_t Take(int64_t count) {
    const int64_t at = bytes;
    bytes += RoundUp(count * int64_t{sizeof(T)}, 64);
    return at;
  }
};

// The rows that a bin reads are [begin[bin], begin[bin + 1]).
struct BinRows {
  const int32_t* begin;
  const RowSample* rows;
};

template <typename T>
class Pooling {
 public:
  Pooling(const PoolArgs& args, bool turned, char* scratch)
      : args_(args),
        turned_(turned),
        has_images_(args.images.dtype != DType::kUndefined),
        widen_(args.input.dtype, DType::kFloat32),
        scratch_(scratch) {}

  // Channels [begin, end) of one region.
  void Run(int64_t region, int64_t begin, int64_t end) {
    const int64_t image = Image(region);
    if (image < 0) {
      std::fill_n(At<float>(layout_.pooled), args_.output.shape[3], 0.0f);
      for (int64_t c = begin; c < end; ++c) {
        for (int64_t ph = 0; ph < args_.output.shape[2]; ++ph) Put(region, c, ph);
      }
      return;
    }
    const ColumnWeights weights = WeightsOf(region);
    const BinRows rows = RowsOf(region);
    auto* const sums = At<float>(layout_.sums);
    auto* const pooled = At<float>(layout_.pooled);
    const int64_t step = args_.input.stride[1];
    for (int64_t c = begin; c < end; ++c) {
      const T* const plane = args_.input.As<const T>() + image * args_.input.stride[0] + c * step;
      for (int64_t ph = 0; ph < args_.output.shape[2]; ++ph) {
        AddRows(plane, rows.rows + rows.begin[ph], rows.begin[ph + 1] - rows.begin[ph],
                c + 1 < end ? step : 0, sums);
        if (!kernels_.pool_columns(weights, sums, pooled)) MendBins(weights, sums, pooled);
        Put(region, c, ph);
      }
    }
  }

 private:
  float Box(int64_t region, int64_t column) const {
    return ToFloat(
        args_.boxes.As<const T>()[region * args_.boxes.stride[0] + column * args_.boxes.stride[1]]);
  }
  // -1 when there is no such image, or no pixel; NaN is none.
  int64_t Image(int64_t region) const {
    const float image =
        has_images_
            ? static_cast<float>(args_.images.As<const int32_t>()[region * args_.images.stride[0]])
            : std::floor(Box(region, 0));
    const bool known = image >= 0 && image < static_cast<float>(args_.input.shape[0]) &&
                       args_.input.ElementCount() > 0;
    return known ? static_cast<int64_t>(image) : -1;
  }

  // Fills the table of a dimension, whose edges stand in boxes two columns apart: how much of pixel
  // first + i bin b reads, at [i * bins + b].
  PixelRange FillTable(int64_t region, int dimension) {
    const bool is_x = (dimension == 3) != turned_;
    const int64_t column = (has_images_ ? 0 : 1) + (is_x ? 0 : 1);
    const int64_t bins = args_.output.shape[dimension], extent = args_.input.shape[dimension];
    const Axis axis = MakeAxis(Box(region, column), Box(region, column + 2), bins, args_.sampling);
    const AxisPart part = {
        .first_bin = 0, .bins = bins, .extent = extent, .begin = 0, .end = extent};
    return FillAxisTable(axis, part, At<float>(layout_.table));
  }

  // Lists the columns that bins read, and how much of them.
  ColumnWeights WeightsOf(int64_t region) {
    const PixelRange range = FillTable(region, 3);
    const int64_t bins = args_.output.shape[3], row = RoundUp(bins, kMostPoolLanes);
    const auto* const table = At<const float>(layout_.table);
    auto* const columns = At<int32_t>(layout_.columns);
    auto* const weights = At<float>(layout_.weights);
    const auto reads = [&](int64_t k, int64_t begin, int64_t end) {
      return std::any_of(weights + k * row + begin, weights + k * row + end,
                         [](float weight) { return weight != 0; });
    };
    int64_t listed = 0, read = 0;
    columns_ = 0;
    for (int64_t i = 0; i < range.count; ++i) {
      float* const of_bins = weights + listed * row;
      std::fill(std::copy_n(table + i * bins, bins, of_bins), of_bins + row, 0.0f);
      const bool is_read = reads(listed, 0, bins);
      if (!is_read && listed == 0) continue;
      columns[listed++] = static_cast<int32_t>(range.first + i);
      if (!is_read) continue;
      columns_ = listed;
      ++read;
    }
    is_sparse_ = columns_ > kSparse * read;
    if (is_sparse_) {
      listed = 0;
      for (int64_t k = 0; k < columns_; ++k) {
        if (!reads(k, 0, bins)) continue;
        columns[listed] = columns[k];
        std::copy_n(weights + k * row, row, weights + listed++ * row);
      }
      columns_ = listed;
    }
    auto* const ranges = At<ColumnRange>(layout_.ranges);
    for (int64_t b = 0; b < bins; b += kernels_.lanes) {
      const int64_t end = std::min(bins, b + kernels_.lanes);
      ColumnRange& of_vector = ranges[b / kernels_.lanes];
      of_vector = {0, static_cast<int32_t>(columns_)};
      while (of_vector.first < of_vector.last && !reads(of_vector.first, b, end)) ++of_vector.first;
      while (of_vector.first < of_vector.last && !reads(of_vector.last - 1, b, end)) {
        --of_vector.last;
      }
    }
    return {.weights = weights, .row = row, .ranges = ranges, .bins = bins};
  }

  BinRows RowsOf(int64_t region) {
    const PixelRange range = FillTable(region, 2);
    const int64_t bins = args_.output.shape[2];
    const auto* const table = At<const float>(layout_.table);
    auto* const begin = At<int32_t>(layout_.begins);
    auto* const rows = At<RowSample>(layout_.rows);
    int32_t count = 0;
    for (int64_t b = 0; b < bins; ++b) {
      begin[b] = count;
      for (int64_t i = 0; i < range.count; ++i) {
        const float weight = table[i * bins + b];
        if (weight != 0) rows[count++] = {weight, (range.first + i) * args_.input.stride[2]};
      }
    }
    begin[bins] = count;
    return {.begin = begin, .rows = rows};
  }

  // The listed columns of some rows, weighted and added up.
  void AddRows(const T* plane, const RowSample* rows, int64_t count, int64_t ahead, float* sums) {
    const int64_t stride = args_.input.stride[3];
    const auto* const columns = At<const int32_t>(layout_.columns);
    if (stride != 1 || is_sparse_) {
      for (int64_t k = 0; k < columns_; ++k) {
        const T* const column = plane + columns[k] * stride;
        float sum = 0;
        for (int64_t i = 0; i < count; ++i) {
          hwy::Prefetch(column + rows[i].offset + ahead);
          sum += rows[i].weight * ToFloat(column[rows[i].offset]);
        }
        sums[k] = sum;
      }
      return;
    }
    if (columns_ == 0) return;
    plane += columns[0];
    if constexpr (std::is_same_v<T, float>) {
      kernels_.add_rows(plane, rows, count, columns_, ahead, false, sums);
    } else {
      auto* const wide = At<float>(layout_.wide);
      if (count == 0) std::fill_n(sums, columns_, 0.0f);
      for (int64_t i = 0; i < count; ++i) {
        widen_.Run(plane + rows[i].offset, columns_, wide);
        const RowSample sample = {rows[i].weight, 0};
        kernels_.add_rows(wide, &sample, 1, columns_, 0, i > 0, sums);
      }
    }
  }

  // Bins that are not finite are added up without the columns that they do not read.
  void MendBins(const ColumnWeights& weights, const float* sums, float* pooled) const {
    for (int64_t b = 0; b < weights.bins; ++b) {
      if (std::isfinite(pooled[b])) continue;
      const ColumnRange range = weights.ranges[b / kernels_.lanes];
      pooled[b] = 0;
      for (int32_t k = range.first; k < range.last; ++k) {
        const float weight = weights.weights[k * weights.row + b];
        if (weight != 0) pooled[b] += weight * sums[k];
      }
    }
  }

  void Put(int64_t region, int64_t c, int64_t ph) {
    const TensorView& out = args_.output;
    T* const to = out.As<T>() + region * out.stride[0] + c * out.stride[1] + ph * out.stride[2];
    const auto* const pooled = At<const float>(layout_.pooled);
    for (int64_t pw = 0; pw < out.shape[3]; ++pw) to[pw * out.stride[3]] = FromFloat<T>(pooled[pw]);
  }

  template <typename E>
  E* At(int64_t place) const {
    return reinterpret_cast<E*>(scratch_ + place);
  }

  const PoolArgs& args_;
  const bool turned_;
  const bool has_images_;
  const copy::Converter widen_;
  char* const scratch_;
  const SlotLayout layout_{args_.input, args_.output};
  const PoolKernels& kernels_ = PoolKernelsInUse();
  // Of the region at hand.
  bool is_sparse_ = false;  // not all columns from the first to the last one are listed
  int64_t columns_ = 0;
};

template <typename T>
void PoolTyped(const PoolArgs& args, bool turned = false) {
  const int64_t regions = args.output.shape[0], channels = args.output.shape[1];
  const int64_t blocks = std::min(channels, CeilDivide(kPieces, regions));
  const int64_t length = CeilDivide(channels, blocks);
  const int64_t slot_bytes = SlotLayout(args.input, args.output).bytes;
  Slots slots(args.slots);
  ParallelFor(regions * blocks, 1, [&](int64_t first, int64_t last) {
    const Slots::Lease lease(slots);
    Pooling<T> pooling(args, turned,
                       static_cast<char*>(args.scratch) + lease.number() * slot_bytes);
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t begin = piece % blocks * length;
      pooling.Run(piece / blocks, begin, std::min(channels, begin + length));
    }
  });
}

}  // namespace

int64_t PoolSlotBytes(const TensorView& input, const TensorView& output) {
  if (IsTall(input, output)) return PoolSlotBytes(Turned(input), Turned(output));
  if (input.ElementCount() == 0) return SlotLayout(input, output).bytes;
  // In double first, where nothing overflows.
  const double entries =
      static_cast<double>(output.shape[2]) * static_cast<double>(input.shape[2]) +
      static_cast<double>(RoundUp(output.shape[3], kMostPoolLanes)) *
          static_cast<double>(input.shape[3]);
  if (entries > 0x1p48) return -1;
  return SlotLayout(input, output).bytes;
}

double PoolCycles(const TensorView& input, const TensorView& output) {
  // A region that covers the map reads all of it, for each of its channels.
  const double bins = static_cast<double>(output.ElementCount());
  const double maps = static_cast<double>(output.shape[0]) * static_cast<double>(output.shape[1]);
  const double pixels = static_cast<double>(input.shape[2]) * static_cast<double>(input.shape[3]);
  return 10 * bins + 0.1 * maps * pixels;
}

void Pool(const PoolArgs& args) {
  if (args.input.dtype == DType::kFloat16) {
    PoolTyped<Float16>(args);
  } else if (IsTall(args.input, args.output)) {
    PoolArgs turned = args;
    turned.input = Turned(args.input);
    turned.output = Turned(args.output);
    PoolTyped<float>(turned, true);
  } else {
    PoolTyped<float>(args);
  }
}

}  // namespace aclimb::roi_align_v2_backward
