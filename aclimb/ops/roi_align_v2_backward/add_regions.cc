#include "aclimb/ops/roi_align_v2_backward/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/roi_align_v2_backward/add_regions.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: what follows is compiled once per target.
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "aclimb/ops/roi_align_v2_backward/transpose-inl.h"
#include "aclimb/simd/totals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::roi_align_v2_backward {
namespace HWY_NAMESPACE {

// Vertical bins [begin, end).
struct BinRange {
  int64_t begin;
  int64_t end;
};

// Gradients of the vertical bins `bins`, channels innermost: to[(y * bins_x + x) * kLanes + c].
// Lanes past the channels stay as they are. Asks for the same part of the next region's gradients:
// regions lie far apart, out of the reach of hardware prefetchers.
void ReadGrad(const Region& region, BinRange bins, const GradOutput& grad, int64_t channels,
              const Region& next, float* to) {
  const Floats d;
  const float* from = grad.data + region.grad_offset;
  const int64_t ahead = next.grad_offset - region.grad_offset;
  const int64_t width = region.bins_x;
  const int64_t stride = grad.channel_stride;
  // Rows of bins that follow each other without a gap are one run.
  const bool unit = grad.column_stride == 1 || width == 1;
  const bool dense = unit && grad.row_stride == width;
  const int64_t rows = dense ? 1 : bins.end - bins.begin;
  const int64_t length = dense ? (bins.end - bins.begin) * width : width;
  for (int64_t row = 0; row < rows; ++row) {
    const float* in = from + (bins.begin + row) * grad.row_stride;
    float* out = to + (bins.begin + row) * width * kLanes;
    if (unit && channels == kLanes && length >= 4) {
      for (int64_t x = 0; x < length; x += 4) {
        // The last four may overlap the ones before: writing a bin twice is harmless.
        const int64_t at = std::min(x, length - 4);
        for (int64_t c = x % 16; c < x % 16 + 4; ++c) {
          __builtin_prefetch(in + ahead + c * stride + x / 16 * 16, 0, 2);
        }
        TransposeFour(in + at, stride, out + at * kLanes, kLanes,
                      [d](Vector value, float* address) { hn::StoreU(value, d, address); });
      }
      continue;
    }
    for (int64_t x = 0; x < length; ++x) {
      for (int64_t c = 0; c < channels; ++c) {
        out[x * kLanes + c] = in[x * (unit ? 1 : grad.column_stride) + c * stride];
      }
    }
  }
}

// to[y][i] = sum over the terms of column first + i of weight * grad[y][bin], for these bins y.
void Expand(const Region& region, int64_t first, int64_t count, BinRange bins, const float* grad,
            float* to, int64_t stride) {
  const Floats d;
  const int64_t grad_stride = region.bins_x * kLanes;
  for (int64_t i = 0; i < count; ++i) {
    const Term* term = region.column_terms + region.column_begin[first + i];
    const Term* end = region.column_terms + region.column_begin[first + i + 1];
    for (int64_t lane = 0; lane < kLanes; lane += Step()) {
      const float* from = grad + bins.begin * grad_stride + lane;
      float* out = to + bins.begin * stride + i * kLanes + lane;
      const Vector weight0 = hn::Set(d, term[0].weight);
      const float* from0 = from + term[0].bin * kLanes;
      if (end - term == 1) {
        for (int64_t y = bins.begin; y < bins.end; ++y) {
          hn::StoreU(hn::Mul(weight0, hn::LoadU(d, from0)), d, out);
          from0 += grad_stride;
          out += stride;
        }
        continue;
      }
      const Vector weight1 = hn::Set(d, term[1].weight);
      const float* from1 = from + term[1].bin * kLanes;
      for (int64_t y = bins.begin; y < bins.end; ++y) {
        Vector sum = hn::Mul(weight0, hn::LoadU(d, from0));
        sum = hn::MulAdd(weight1, hn::LoadU(d, from1), sum);
        for (const Term* t = term + 2; t < end; ++t) {
          const float* from_t = from + (y - bins.begin) * grad_stride + t->bin * kLanes;
          sum = hn::MulAdd(hn::Set(d, t->weight), hn::LoadU(d, from_t), sum);
        }
        hn::StoreU(sum, d, out);
        from0 += grad_stride;
        from1 += grad_stride;
        out += stride;
      }
    }
  }
}

// sums[i] += the terms' weights times their expanded rows, `length` floats.
HWY_INLINE void AddTerms(const Term* term, const Term* end, const float* expanded, int64_t stride,
                         int64_t length, float* sums) {
  const Floats d;
  const int64_t step = Step();
  for (; end - term >= 2; term += 2) {
    const Vector weight0 = hn::Set(d, term[0].weight);
    const Vector weight1 = hn::Set(d, term[1].weight);
    const float* from0 = expanded + term[0].bin * stride;
    const float* from1 = expanded + term[1].bin * stride;
    for (int64_t i = 0; i < length; i += step) {
      const Vector sum = hn::MulAdd(weight0, hn::LoadU(d, from0 + i), hn::LoadU(d, sums + i));
      hn::StoreU(hn::MulAdd(weight1, hn::LoadU(d, from1 + i), sum), d, sums + i);
    }
  }
  if (term == end) return;
  const Vector weight = hn::Set(d, term->weight);
  const float* from = expanded + term->bin * stride;
  for (int64_t i = 0; i < length; i += step) {
    hn::StoreU(hn::MulAdd(weight, hn::LoadU(d, from + i), hn::LoadU(d, sums + i)), d, sums + i);
  }
}

// The vertical bins that rows [first, last) of the region take from.
BinRange BinsOfRows(const Region& region, int64_t first, int64_t last) {
  if (last - first == region.rows) return {0, region.bins_y};
  BinRange bins = {region.bins_y, 0};
  for (int32_t t = region.row_begin[first]; t < region.row_begin[last]; ++t) {
    bins.begin = std::min<int64_t>(bins.begin, region.row_terms[t].bin);
    bins.end = std::max<int64_t>(bins.end, region.row_terms[t].bin + 1);
  }
  return bins;
}

// Rows of a region, counted from its first, that lie in the tile.
HWY_INLINE int64_t FirstRow(const Tile& tile, const Region& region) {
  return std::max<int64_t>(tile.first_row - region.first_row, 0);
}
HWY_INLINE int64_t LastRow(const Tile& tile, const Region& region) {
  return std::min<int64_t>(tile.first_row + tile.rows - region.first_row, region.rows);
}

void AddRegion(const Tile& tile, const GradOutput& grad, const Region& region, const Region& next) {
  const int64_t first = FirstRow(tile, region);
  const int64_t last = LastRow(tile, region);
  const BinRange bins = BinsOfRows(region, first, last);
  if (bins.begin >= bins.end) return;
  float* grads = tile.work;
  float* expanded = grads + kMaxBins * kMaxBins * kLanes;
  ReadGrad(region, bins, grad, tile.channels, next, grads);

  const int64_t block = kExpandedVectors / region.bins_y;
  int64_t run = 0;
  int64_t skip = 0;  // columns of this run that earlier blocks had
  for (int64_t column = 0; column < region.columns; column += block) {
    const int64_t count = std::min(block, region.columns - column);
    // An odd number of cache lines, so that rows do not fight for the same sets.
    const int64_t stride = (count | 1) * kLanes;
    Expand(region, column, count, bins, grads, expanded, stride);
    const float* from = expanded;
    for (int64_t left = count; left > 0;) {
      const ColumnRun columns = region.column_runs[run];
      const int64_t length = std::min<int64_t>(columns.count - skip, left);
      float* sums = tile.sums + ((region.first_row + first - tile.first_row) * tile.columns +
                                 columns.first + skip) *
                                    kLanes;
      for (int64_t row = first; row < last; ++row) {
        AddTerms(region.row_terms + region.row_begin[row],
                 region.row_terms + region.row_begin[row + 1], from, stride, length * kLanes, sums);
        sums += tile.columns * kLanes;
      }
      from += length * kLanes;
      left -= length;
      skip += length;
      if (skip == columns.count) {
        ++run;
        skip = 0;
      }
    }
  }
}

// Adds the sums of a cell to its totals, and starts them anew.
void EmptyCell(const Tile& tile, int64_t cell) {
  EachRowOfCell(tile, cell, [&](int64_t row, int64_t column, int64_t count) HWY_ATTR {
    float* sums = tile.sums + OffsetOf(tile, row, column);
    aclimb::HWY_NAMESPACE::AddToTotals(sums, count * kLanes, false,
                                       tile.totals + OffsetOf(tile, row, column));
    std::memset(sums, 0, static_cast<size_t>(count * kLanes) * sizeof(float));
  });
}

void AddRegions(const Tile& tile, const GradOutput& grad, const Region* regions,
                const int32_t* order, int64_t count) {
  std::memset(tile.work, 0, kMaxBins * kMaxBins * kLanes * sizeof(float));
  const Region* region = nullptr;
  for (int64_t i = 0; i < count; ++i) {
    const Region& next = regions[order[i]];
    const bool in_tile = FirstRow(tile, next) < LastRow(tile, next);
    // A cell that the tile cuts may be full for a region that lies in its other part.
    if (!in_tile && next.full_count == 0) continue;
    if (region != nullptr) AddRegion(tile, grad, *region, next);
    region = in_tile ? &next : nullptr;
    for (int32_t k = 0; k < next.full_count; ++k) EmptyCell(tile, next.full_cells[k]);
  }
  if (region != nullptr) AddRegion(tile, grad, *region, *region);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::roi_align_v2_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::roi_align_v2_backward {

HWY_EXPORT(AddRegions);

void AddRegions(const Tile& tile, const GradOutput& grad, const Region* regions,
                const int32_t* order, int64_t count) {
  HWY_DYNAMIC_DISPATCH(AddRegions)(tile, grad, regions, order, count);
}

}  // namespace aclimb::roi_align_v2_backward
#endif
