#include "aclimb/ops/roi_align_v2_backward/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/roi_align_v2_backward/tile.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: what follows is compiled once per target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "aclimb/ops/roi_align_v2_backward/transpose-inl.h"
#include "aclimb/simd/totals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::roi_align_v2_backward {
namespace HWY_NAMESPACE {

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

void LoadRows(const Tile& tile, const GradInput& from) {
  const Floats d;
  const auto store = [d](Vector value, float* address) HWY_ATTR { hn::StoreU(value, d, address); };
  const bool whole = tile.channels == kLanes && from.column_stride == 1;
  if (!whole) ClearTile(tile);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const float* in = from.data + (tile.first_row + row) * from.row_stride;
    float* to = tile.sums + row * tile.columns * kLanes;
    int64_t x = 0;
    if (whole) {
      for (; x + 4 <= tile.columns; x += 4) {
        TransposeFour(in + x, from.channel_stride, to + x * kLanes, kLanes, store);
      }
    }
    for (; x < tile.columns; ++x) {
      for (int64_t c = 0; c < tile.channels; ++c) {
        to[x * kLanes + c] = in[x * from.column_stride + c * from.channel_stride];
      }
    }
  }
}

void FinishCells(const Tile& tile) {
  EachTotal(tile, [&](const Cell&, int64_t row, int64_t column, int64_t count) HWY_ATTR {
    const int64_t at = OffsetOf(tile, row, column);
    aclimb::HWY_NAMESPACE::RoundTotals(tile.totals + at, count * kLanes, 1, tile.sums + at);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::roi_align_v2_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::roi_align_v2_backward {

HWY_EXPORT(ClearRows);
HWY_EXPORT(LoadRows);
HWY_EXPORT(StoreRows);
HWY_EXPORT(FinishCells);

void ClearTile(const Tile& tile) {
  std::memset(tile.sums, 0,
              static_cast<size_t>(TileFloats(tile.rows, tile.columns)) * sizeof(float));
}

void LoadTile(const Tile& tile, const GradInput& from) {
  HWY_DYNAMIC_DISPATCH(LoadRows)(tile, from);
}

void StartTotals(const Tile& tile, const double* kept) {
  EachTotal(tile, [&](const Cell& cell, int64_t row, int64_t column, int64_t count) {
    double* to = tile.totals + OffsetOf(tile, row, column);
    std::fill_n(to, count * kLanes, 0.0);
    if (!cell.had_totals) return;
    const double* from = kept + (row * tile.columns + column) * tile.channels;
    for (int64_t x = 0; x < count; ++x) {
      std::copy_n(from + x * tile.channels, tile.channels, to + x * kLanes);
    }
  });
}

void KeepTotals(const Tile& tile, double* kept) {
  EachTotal(tile, [&](const Cell&, int64_t row, int64_t column, int64_t count) {
    const double* from = tile.totals + OffsetOf(tile, row, column);
    double* to = kept + (row * tile.columns + column) * tile.channels;
    for (int64_t x = 0; x < count; ++x) {
      std::copy_n(from + x * kLanes, tile.channels, to + x * tile.channels);
    }
  });
}

void FinishTotals(const Tile& tile) { HWY_DYNAMIC_DISPATCH(FinishCells)(tile); }

void StoreTile(const Tile& tile, const GradInput& to) { HWY_DYNAMIC_DISPATCH(StoreRows)(tile, to); }

void ClearOutput(const GradInput& to, int64_t channels, int64_t first, int64_t last,
                 int64_t columns) {
  if (first < last) HWY_DYNAMIC_DISPATCH(ClearRows)(to, channels, first, last, columns);
}

}  // namespace aclimb::roi_align_v2_backward
#endif
