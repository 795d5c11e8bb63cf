#include "aclimb/ops/roi_align_v2_backward/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/roi_align_v2_backward/tile.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: what follows is compiled once per target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace aclimb::roi_align_v2_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kLanes>;
using Vector = hn::Vec<Floats>;

// The vector length divides kLanes.
HWY_INLINE int64_t Step() { return static_cast<int64_t>(hn::Lanes(Floats())); }

// Vertical bins [begin, end).
struct BinRange {
  int64_t begin;
  int64_t end;
};

// Vectors of one lane, or of a length that is only known at run time, go through memory.
#undef ACLIMB_SHUFFLES
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
#define ACLIMB_SHUFFLES 0
#else
#define ACLIMB_SHUFFLES 1
#endif

#if ACLIMB_SHUFFLES
// Block b (four lanes) from from + b * step.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const float* from, int64_t step) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const int64_t blocks = static_cast<int64_t>(hn::MaxLanes(D()) / 8);
    return hn::Combine(d, LoadBlocks(half, from + blocks * step, step),
                       LoadBlocks(half, from, step));
  }
}
#endif

// to[c * to_stride + r] = from[r * stride + c] for kLanes rows and four columns, stored by
// store(vector, address).
template <class Store>
HWY_INLINE void TransposeFour(const float* from, int64_t stride, float* to, int64_t to_stride,
                              const Store& store) {
  const Floats d;
#if !ACLIMB_SHUFFLES
  for (int64_t c = 0; c < 4; ++c) {
    float column[kLanes];
    for (int64_t r = 0; r < kLanes; ++r) column[r] = from[r * stride + c];
    for (int64_t r = 0; r < kLanes; r += Step()) {
      store(hn::LoadU(d, column + r), to + c * to_stride + r);
    }
  }
#else
  const hn::RebindToUnsigned<Floats> du;
  const hn::Repartition<uint64_t, Floats> d64;
  for (int64_t r = 0; r < kLanes; r += Step()) {
    const float* at = from + r * stride;
    const auto row0 = hn::BitCast(du, LoadBlocks(d, at, 4 * stride));
    const auto row1 = hn::BitCast(du, LoadBlocks(d, at + stride, 4 * stride));
    const auto row2 = hn::BitCast(du, LoadBlocks(d, at + 2 * stride, 4 * stride));
    const auto row3 = hn::BitCast(du, LoadBlocks(d, at + 3 * stride, 4 * stride));
    const auto low01 = hn::BitCast(d64, hn::InterleaveLower(du, row0, row1));
    const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(du, row0, row1));
    const auto low23 = hn::BitCast(d64, hn::InterleaveLower(du, row2, row3));
    const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(du, row2, row3));
    float* out = to + r;
    store(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), out);
    store(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), out + to_stride);
    store(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), out + 2 * to_stride);
    store(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), out + 3 * to_stride);
  }
#endif
}

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

void AddRegions(const Tile& tile, const GradOutput& grad, const Region* regions,
                const int32_t* order, int64_t count) {
  std::memset(tile.work, 0, kMaxBins * kMaxBins * kLanes * sizeof(float));
  const Region* region = nullptr;
  for (int64_t i = 0; i < count; ++i) {
    const Region& next = regions[order[i]];
    if (FirstRow(tile, next) >= LastRow(tile, next)) continue;
    if (region != nullptr) AddRegion(tile, grad, *region, next);
    region = &next;
  }
  if (region != nullptr) AddRegion(tile, grad, *region, *region);
}

// `count` floats around the caches; `from` null means zeros.
HWY_INLINE void StreamRun(const float* from, float* to, int64_t count) {
  const Floats d;
  // Only whole cache lines are combined.
  int64_t i = 0;
  for (; i < count && reinterpret_cast<uintptr_t>(to + i) % 64 != 0; ++i) {
    to[i] = from == nullptr ? 0.0f : from[i];
  }
  for (; i + 16 <= count; i += 16) {
    for (int64_t j = i; j < i + 16; j += Step()) {
      hn::Stream(from == nullptr ? hn::Zero(d) : hn::LoadU(d, from + j), d, to + j);
    }
  }
  for (; i < count; ++i) to[i] = from == nullptr ? 0.0f : from[i];
}

// Consecutive floats; `from` null means zeros.
HWY_INLINE void CopyRun(const float* from, float* to, int64_t count, bool streams) {
  if (streams) {
    StreamRun(from, to, count);
  } else if (from == nullptr) {
    std::memset(to, 0, static_cast<size_t>(count) * sizeof(float));
  } else {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
  }
}

// How the rows of a plane lie in memory: rows without gaps are one run.
struct Runs {
  int64_t count;
  int64_t length;
  bool dense;  // within a run
  Runs(const GradInput& to, int64_t rows, int64_t columns) {
    dense = to.column_stride == 1 || columns == 1;
    const bool one = dense && (to.row_stride == columns || rows <= 1);
    count = one ? 1 : rows;
    length = one ? rows * columns : columns;
  }
};

void ClearRows(const GradInput& to, int64_t channels, int64_t first, int64_t last,
               int64_t columns) {
  const Runs runs(to, last - first, columns);
  for (int64_t channel = 0; channel < channels; ++channel) {
    float* out = to.data + channel * to.channel_stride + first * to.row_stride;
    for (int64_t run = 0; run < runs.count; ++run, out += to.row_stride) {
      if (runs.dense) {
        CopyRun(nullptr, out, runs.length, to.streams);
      } else {
        for (int64_t x = 0; x < runs.length; ++x) out[x * to.column_stride] = 0.0f;
      }
    }
  }
  if (to.streams) hwy::FlushStream();
}

// Pixels [0, count) of the tile at `from` to each channel's plane at out + channel * stride, which
// are all aligned to cache lines when they are streamed to.
template <class Store>
void StorePixels(const float* from, int64_t count, int64_t channels, float* out, int64_t stride,
                 const Store& store) {
  int64_t x = 0;
  if (channels == kLanes) {
    for (; x + kLanes <= count; x += kLanes) {
      for (int64_t c = 0; c < kLanes; c += 4) {
        TransposeFour(from + x * kLanes + c, kLanes, out + c * stride + x, stride, store);
      }
    }
  }
  for (; x < count; ++x) {
    for (int64_t c = 0; c < channels; ++c) out[c * stride + x] = from[x * kLanes + c];
  }
}

void StoreRows(const Tile& tile, const GradInput& to) {
  const Floats d;
  const auto store = [d](Vector value, float* address) { hn::StoreU(value, d, address); };
  const auto stream = [d](Vector value, float* address) { hn::Stream(value, d, address); };
  const Runs runs(to, tile.rows, tile.columns);
  constexpr int64_t kStride = kStagedPixels + 16;
  float* staged = tile.work;
  for (int64_t run = 0; run < runs.count; ++run) {
    const float* from = tile.sums + run * runs.length * kLanes;
    float* out = to.data + (tile.first_row + run) * to.row_stride;
    const bool aligned = reinterpret_cast<uintptr_t>(out) % 64 == 0 && to.channel_stride % 16 == 0;
    if (runs.dense && !to.streams) {
      StorePixels(from, runs.length, tile.channels, out, to.channel_stride, store);
    } else if (runs.dense && aligned) {
      StorePixels(from, runs.length, tile.channels, out, to.channel_stride, stream);
    } else {
      for (int64_t x = 0; x < runs.length; x += kStagedPixels) {
        const int64_t count = std::min(kStagedPixels, runs.length - x);
        StorePixels(from + x * kLanes, count, tile.channels, staged, kStride, store);
        for (int64_t channel = 0; channel < tile.channels; ++channel) {
          const float* in = staged + channel * kStride;
          float* plane = out + channel * to.channel_stride + x * to.column_stride;
          if (runs.dense) {
            StreamRun(in, plane, count);
          } else {
            for (int64_t i = 0; i < count; ++i) plane[i * to.column_stride] = in[i];
          }
        }
      }
    }
  }
  if (to.streams) hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::roi_align_v2_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::roi_align_v2_backward {

HWY_EXPORT(AddRegions);
HWY_EXPORT(ClearRows);
HWY_EXPORT(StoreRows);

void ClearTile(const Tile& tile) {
  std::memset(tile.sums, 0,
              static_cast<size_t>(TileFloats(tile.rows, tile.columns)) * sizeof(float));
}

void LoadTile(const Tile& tile, const GradInput& from) {
  ClearTile(tile);
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t x = 0; x < tile.columns; ++x) {
      const float* in =
          from.data + (tile.first_row + row) * from.row_stride + x * from.column_stride;
      float* to = tile.sums + (row * tile.columns + x) * kLanes;
      for (int64_t channel = 0; channel < tile.channels; ++channel) {
        to[channel] = in[channel * from.channel_stride];
      }
    }
  }
}

void StoreTile(const Tile& tile, const GradInput& to) { HWY_DYNAMIC_DISPATCH(StoreRows)(tile, to); }

void ClearOutput(const GradInput& to, int64_t channels, int64_t first, int64_t last,
                 int64_t columns) {
  if (first < last) HWY_DYNAMIC_DISPATCH(ClearRows)(to, channels, first, last, columns);
}

void AddRegions(const Tile& tile, const GradOutput& grad, const Region* regions,
                const int32_t* order, int64_t count) {
  HWY_DYNAMIC_DISPATCH(AddRegions)(tile, grad, regions, order, count);
}

}  // namespace aclimb::roi_align_v2_backward
#endif
