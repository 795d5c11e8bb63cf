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

using Floats = hn::CappedTag<float, kGroup>;
using Vector = hn::Vec<Floats>;
using Mask = hn::Mask<Floats>;

int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(Floats())); }

// sum + grad * weight where the weight is not zero: 0 * infinity must not reach other pixels.
HWY_INLINE Vector Add(Vector sum, const float* grad, Vector weight, Mask touched) {
  const Vector value = hn::Set(Floats(), *grad);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  // One masked instruction, which compilers do not find by themselves.
  return Vector{_mm512_mask3_fmadd_ps(value.raw, weight.raw, sum.raw, touched.raw)};
#else
  return hn::IfThenElse(touched, hn::MulAdd(value, weight, sum), sum);
#endif
}

// Expanded rows of `kRows` vertical bins, one vector wide.
struct Expansion {
  const float* grad;  // first vertical bin, horizontal bin 0
  int64_t row_stride;
  int64_t column_stride;
  const float* weights;  // horizontal bin 0
  BinRange bins;
};

HWY_INLINE void ExpandSeven(const Expansion& e, float* to) {
  const Floats d;
  Vector sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0, sum4 = sum0, sum5 = sum0,
         sum6 = sum0;
  for (int64_t bin = e.bins.begin; bin < e.bins.end; ++bin) {
    const Vector weight = hn::LoadU(d, e.weights + bin * kGroup);
    const Mask touched = hn::Ne(weight, hn::Zero(d));
    const float* grad = e.grad + bin * e.column_stride;
    const int64_t stride = e.row_stride;
    sum0 = Add(sum0, grad, weight, touched);
    sum1 = Add(sum1, grad + stride, weight, touched);
    sum2 = Add(sum2, grad + 2 * stride, weight, touched);
    sum3 = Add(sum3, grad + 3 * stride, weight, touched);
    sum4 = Add(sum4, grad + 4 * stride, weight, touched);
    sum5 = Add(sum5, grad + 5 * stride, weight, touched);
    sum6 = Add(sum6, grad + 6 * stride, weight, touched);
  }
  hn::StoreU(sum0, d, to);
  hn::StoreU(sum1, d, to + kExpandedStride);
  hn::StoreU(sum2, d, to + 2 * kExpandedStride);
  hn::StoreU(sum3, d, to + 3 * kExpandedStride);
  hn::StoreU(sum4, d, to + 4 * kExpandedStride);
  hn::StoreU(sum5, d, to + 5 * kExpandedStride);
  hn::StoreU(sum6, d, to + 6 * kExpandedStride);
}

HWY_INLINE void ExpandOne(const Expansion& e, float* to) {
  const Floats d;
  Vector sum = hn::Zero(d);
  for (int64_t bin = e.bins.begin; bin < e.bins.end; ++bin) {
    const Vector weight = hn::LoadU(d, e.weights + bin * kGroup);
    sum = Add(sum, e.grad + bin * e.column_stride, weight, hn::Ne(weight, hn::Zero(d)));
  }
  hn::StoreU(sum, d, to);
}

// Groups [first, last) of all vertical bins of one channel.
HWY_INLINE void Expand(const Region& region, const float* grad, const GradOutput& strides,
                       int64_t first, int64_t last, float* expanded) {
  for (int64_t group = first; group < last; ++group) {
    for (int64_t part = 0; part < kGroup; part += Lanes()) {
      Expansion e = {grad, strides.row_stride, strides.column_stride,
                     region.weights + group * region.bins_x * kGroup + part,
                     region.bins_of_group[group]};
      float* to = expanded + kExpandedStride + (group - first) * kGroup + part;
      int64_t row = 0;
      while (row < region.bins_y) {
        // The last seven may overlap the ones before: writing a row twice is harmless.
        const bool seven = region.bins_y >= 7;
        const int64_t at = seven ? std::min<int64_t>(row, region.bins_y - 7) : row;
        e.grad = grad + at * strides.row_stride;
        if (seven) {
          ExpandSeven(e, to + at * kExpandedStride);
          row = at + 7;
        } else {
          ExpandOne(e, to + at * kExpandedStride);
          row = at + 1;
        }
      }
    }
  }
}

HWY_INLINE Vector AddTerms(Vector sum, const RowTerms& terms, const float* expanded) {
  const Floats d;
  sum = hn::MulAdd(hn::Set(d, terms.weight[0]), hn::LoadU(d, expanded + terms.offset[0]), sum);
  return hn::MulAdd(hn::Set(d, terms.weight[1]), hn::LoadU(d, expanded + terms.offset[1]), sum);
}

// Rows [first, last) of the region, counted from its first, to the map's rows at `sums`.
HWY_INLINE void AddRows(const Region& region, int64_t first, int64_t last, const float* expanded,
                        int64_t width, float* sums, int64_t columns) {
  const Floats d;
  const int64_t lanes = Lanes();
  const int32_t* begin = region.row_begin;
  if (width == lanes) {
    for (int64_t row = first; row < last; ++row, sums += columns) {
      Vector sum = hn::LoadU(d, sums);
      for (int32_t t = begin[row]; t < begin[row + 1]; ++t) {
        sum = AddTerms(sum, region.terms[t], expanded);
      }
      hn::StoreU(sum, d, sums);
    }
  } else if (width == 2 * lanes) {
    for (int64_t row = first; row < last; ++row, sums += columns) {
      Vector sum0 = hn::LoadU(d, sums);
      Vector sum1 = hn::LoadU(d, sums + lanes);
      for (int32_t t = begin[row]; t < begin[row + 1]; ++t) {
        sum0 = AddTerms(sum0, region.terms[t], expanded);
        sum1 = AddTerms(sum1, region.terms[t], expanded + lanes);
      }
      hn::StoreU(sum0, d, sums);
      hn::StoreU(sum1, d, sums + lanes);
    }
  } else {
    for (int64_t row = first; row < last; ++row, sums += columns) {
      for (int32_t t = begin[row]; t < begin[row + 1]; ++t) {
        const RowTerms terms = region.terms[t];
        const Vector weight0 = hn::Set(d, terms.weight[0]);
        const float* from0 = expanded + terms.offset[0];
        if (terms.offset[1] == 0) {
          for (int64_t i = 0; i < width; i += lanes) {
            hn::StoreU(hn::MulAdd(weight0, hn::LoadU(d, from0 + i), hn::LoadU(d, sums + i)), d,
                       sums + i);
          }
          continue;
        }
        const Vector weight1 = hn::Set(d, terms.weight[1]);
        const float* from1 = expanded + terms.offset[1];
        for (int64_t i = 0; i < width; i += lanes) {
          const Vector sum = hn::MulAdd(weight0, hn::LoadU(d, from0 + i), hn::LoadU(d, sums + i));
          hn::StoreU(hn::MulAdd(weight1, hn::LoadU(d, from1 + i), sum), d, sums + i);
        }
      }
    }
  }
}

// Asks for the gradients of a region that comes soon: regions lie far apart, out of the reach of
// hardware prefetchers.
HWY_INLINE void PrefetchGrad(const Region& region, const GradOutput& grad, int64_t channels) {
  const float* from = grad.data + region.grad_offset;
  const int64_t last = (region.bins_y - 1) * grad.row_stride +
                       (region.bins_x - 1) * grad.column_stride +
                       (channels - 1) * grad.channel_stride;
  if (last > 4096) return;
  for (int64_t i = 0; i < last; i += 16) hwy::Prefetch(from + i);
  hwy::Prefetch(from + last);
}

HWY_INLINE void PrefetchTable(const Region& region) {
  const char* from = reinterpret_cast<const char*>(region.weights);
  const int64_t bytes = std::min<int64_t>(region.table_bytes, 4096);
  for (int64_t i = 0; i < bytes; i += 64) hwy::Prefetch(from + i);
}

void AddRegions(const Tile& tile, const GradOutput& grad, const Region* regions,
                const int32_t* order, int64_t count) {
  constexpr int64_t kAhead = 2;
  std::memset(tile.expanded, 0, kExpandedStride * sizeof(float));
  const int64_t plane = tile.rows * tile.columns;
  for (int64_t i = 0; i < count; ++i) {
    if (i + kAhead < count) PrefetchGrad(regions[order[i + kAhead]], grad, tile.channels);
    if (i + 1 < count) PrefetchTable(regions[order[i + 1]]);
    const Region& region = regions[order[i]];
    const int64_t first = std::max<int64_t>(tile.first_row - region.first_row, 0);
    const int64_t last =
        std::min<int64_t>(tile.first_row + tile.rows - region.first_row, region.rows);
    if (first >= last) continue;
    const int64_t at =
        (region.first_row + first - tile.first_row) * tile.columns + region.first_column;
    constexpr int64_t kGroups = kExpandedColumns / kGroup;
    for (int64_t group = 0; group < region.groups; group += kGroups) {
      const int64_t end = std::min<int64_t>(group + kGroups, region.groups);
      for (int64_t channel = 0; channel < tile.channels; ++channel) {
        Expand(region, grad.data + region.grad_offset + channel * grad.channel_stride, grad, group,
               end, tile.expanded);
        AddRows(region, first, last, tile.expanded, (end - group) * kGroup,
                tile.sums + channel * plane + at + group * kGroup, tile.columns);
      }
    }
  }
}

// `count` floats around the caches; `from` null means zeros.
HWY_INLINE void StreamRun(const float* from, float* to, int64_t count) {
  const Floats d;
  const int64_t lanes = Lanes();
  // Only whole cache lines are worth it, and only they are combined.
  const int64_t line = std::max<int64_t>(lanes, 16);
  int64_t i = 0;
  while (i < count && reinterpret_cast<uintptr_t>(to + i) % 64 != 0) {
    to[i] = from == nullptr ? 0.0f : from[i];
    ++i;
  }
  for (; i + line <= count; i += line) {
    for (int64_t j = i; j < i + line; j += lanes) {
      hn::Stream(from == nullptr ? hn::Zero(d) : hn::LoadU(d, from + j), d, to + j);
    }
  }
  for (; i < count; ++i) to[i] = from == nullptr ? 0.0f : from[i];
}

// Rows [first, last) of the window; `from` null means zeros.
void StoreRows(const float* from, int64_t from_plane, const GradInput& to, int64_t channels,
               int64_t first, int64_t last, int64_t columns) {
  // Rows that follow each other without a gap are one run.
  const bool dense_rows = to.column_stride == 1 || columns == 1;
  const bool dense = dense_rows && (to.row_stride == columns || last - first <= 1);
  const int64_t runs = dense ? 1 : last - first;
  const int64_t length = dense ? (last - first) * columns : columns;
  for (int64_t channel = 0; channel < channels; ++channel) {
    float* plane = to.data + channel * to.channel_stride + first * to.row_stride;
    for (int64_t run = 0; run < runs; ++run) {
      float* out = plane + run * to.row_stride;
      const float* in = from == nullptr ? nullptr : from + channel * from_plane + run * length;
      if (!dense_rows) {
        for (int64_t x = 0; x < length; ++x) {
          out[x * to.column_stride] = in == nullptr ? 0.0f : in[x];
        }
      } else if (to.streams) {
        StreamRun(in, out, length);
      } else if (in == nullptr) {
        std::memset(out, 0, static_cast<size_t>(length) * sizeof(float));
      } else {
        std::memcpy(out, in, static_cast<size_t>(length) * sizeof(float));
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
HWY_EXPORT(StoreRows);

void ClearTile(const Tile& tile) {
  std::memset(
      tile.sums, 0,
      static_cast<size_t>(TileFloats(tile.channels, tile.rows, tile.columns)) * sizeof(float));
}

void LoadTile(const Tile& tile, const GradInput& from) {
  for (int64_t channel = 0; channel < tile.channels; ++channel) {
    for (int64_t row = 0; row < tile.rows; ++row) {
      const float* in =
          from.data + channel * from.channel_stride + (tile.first_row + row) * from.row_stride;
      float* to = tile.sums + (channel * tile.rows + row) * tile.columns;
      for (int64_t x = 0; x < tile.columns; ++x) to[x] = in[x * from.column_stride];
    }
  }
  std::memset(tile.sums + tile.channels * tile.rows * tile.columns, 0, kGroup * sizeof(float));
}

void StoreTile(const Tile& tile, const GradInput& to) {
  HWY_DYNAMIC_DISPATCH(StoreRows)
  (tile.sums, tile.rows * tile.columns, to, tile.channels, tile.first_row,
   tile.first_row + tile.rows, tile.columns);
}

void ClearOutput(const GradInput& to, int64_t channels, int64_t first, int64_t last,
                 int64_t columns) {
  if (first >= last) return;
  HWY_DYNAMIC_DISPATCH(StoreRows)(nullptr, 0, to, channels, first, last, columns);
}

void AddRegions(const Tile& tile, const GradOutput& grad, const Region* regions,
                const int32_t* order, int64_t count) {
  HWY_DYNAMIC_DISPATCH(AddRegions)(tile, grad, regions, order, count);
}

}  // namespace aclimb::roi_align_v2_backward
#endif
