#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/products/vector_kernels.cc"
// Register blocks are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <hwy/cache_control.h>

#include <algorithm>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/copies/convert_row-inl.h"
#include "aclimb/ops/convolution_backward/products/dot_kernels.h"
#include "aclimb/ops/convolution_backward/products/vector_kernels.h"
#include "aclimb/simd/panel-inl.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward::vectors {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::AddProducts;
using aclimb::HWY_NAMESPACE::Clear;
using aclimb::HWY_NAMESPACE::EachVector;
using aclimb::HWY_NAMESPACE::kHeldRows;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::StoreRow;
using aclimb::HWY_NAMESPACE::Transpose;
using convolution_backward::HWY_NAMESPACE::ConvertRow;
using convolution_backward::HWY_NAMESPACE::WithType;

using Tag = aclimb::HWY_NAMESPACE::PanelTag;
using Vector = aclimb::HWY_NAMESPACE::PanelVector;

static_assert(kRows % kHeldRows == 0);

// What passes between two layouts in pieces that stay in the nearest cache.
constexpr int64_t kTileRows = 48, kTileColumns = 128;

int64_t VectorLanes() { return static_cast<int64_t>(hn::Lanes(Tag())); }

// to[column][row] = from[row][column]
void TransposeRows(DType dtype, const void* from, int64_t stride, int64_t rows, int64_t columns,
                   float* to, int64_t to_stride) {
  WithType(dtype, [&](auto element) HWY_ATTR {
    const auto* const typed = static_cast<const decltype(element)*>(from);
    if constexpr (std::is_same_v<decltype(element), float>) {
      Transpose(typed, stride, rows, columns, to, to_stride);
    } else {
      HWY_ALIGN float tile[kTileRows * kTileColumns];
      for (int64_t r = 0; r < rows; r += kTileRows) {
        const int64_t height = HWY_MIN(kTileRows, rows - r);
        for (int64_t c = 0; c < columns; c += kTileColumns) {
          const int64_t width = HWY_MIN(kTileColumns, columns - c);
          for (int64_t k = 0; k < height; ++k) {
            ConvertRow(typed + (r + k) * stride + c, width, tile + k * kTileColumns);
          }
          Transpose(tile, kTileColumns, height, width, to + c * to_stride + r, to_stride);
        }
      }
    }
  });
}

template <int kVectors>
void SumBlock(const float* left, const Segment* segments, int64_t count, const float* right,
              bool add, float* sums, int64_t stride, const int32_t* to, int64_t rows) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Tag()));
  for (int64_t first = 0; first < rows; first += kHeldRows) {
    Vector sum[kHeldRows][kVectors];
    Clear(sum);
    // The sums so far come from a far cache while this part of them is computed.
    for (int64_t r = first; add && r < HWY_MIN(first + kHeldRows, rows); ++r) {
      const float* const at = sums + to[r] * stride;
      hwy::Prefetch(at);
      hwy::Prefetch(at + kVectors * lanes - 1);
    }
    for (int64_t s = 0; s < count; ++s) {
      const float* row[kHeldRows];
#pragma GCC unroll 8
      for (int64_t r = 0; r < kHeldRows; ++r) row[r] = left + segments[s].left[first + r];
      AddProducts<kVectors>(row, right + segments[s].right * kVectors * lanes, segments[s].depth,
                            sum);
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      if (first + r < rows) StoreRow<kVectors>(sum[r], add, sums + to[first + r] * stride);
    }
  }
}

void SumSegments(const float* left, const Segment* segments, int64_t count, const float* right,
                 int64_t vectors, bool add, float* sums, int64_t stride, const int32_t* to,
                 int64_t rows) {
  using Function = void (*)(const float*, const Segment*, int64_t, const float*, bool, float*,
                            int64_t, const int32_t*, int64_t);
  constexpr Function kFunctions[kMostVectors] = {SumBlock<1>, SumBlock<2>, SumBlock<3>};
  kFunctions[vectors - 1](left, segments, count, right, add, sums, stride, to, rows);
}

// to[i] = from[i * step]. Pieces are short: masks would cost more than elements written twice.
HWY_INLINE void CopyEvery(const float* from, int64_t step, int64_t count, float* to) {
  if (step == 1) {
    return EachVector<float, hn::MaxLanes(Tag()), 1>(
        count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(hn::LoadU(d, from + i), d, to + i); });
  }
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  // The last element has none behind it.
  for (; step == 2 && i + lanes < count; i += lanes) {
    Vector even, odd;
    hn::LoadInterleaved2(d, from + 2 * i, even, odd);
    hn::StoreU(even, d, to + i);
  }
  for (; i < count; ++i) hwy::CopyBytes<sizeof(float)>(from + i * step, to + i);
}
template <typename Half>
HWY_INLINE void CopyEvery(const Half* from, int64_t step, int64_t count, float* to) {
  if (step == 1) return ConvertRow(from, count, to);
  constexpr int64_t kMost = 64;
  Half taken[kMost];
  for (int64_t first = 0; first < count; first += kMost) {
    const int64_t length = HWY_MIN(kMost, count - first);
    for (int64_t i = 0; i < length; ++i) taken[i] = from[(first + i) * step];
    ConvertRow(taken, length, to + first);
  }
}

void CopyPieces(DType dtype, const void* from, int64_t stride, int64_t step, int64_t rows,
                const Piece* pieces, int64_t count, float* to, int64_t to_stride) {
  WithType(dtype, [&](auto element) HWY_ATTR {
    for (int64_t r = 0; r < rows; ++r) {
      const auto* const typed = static_cast<const decltype(element)*>(from) + r * stride;
      for (const Piece* piece = pieces; piece != pieces + count; ++piece) {
        float* at = to + r * to_stride + piece->to;
        for (int32_t i = 0; i < piece->before; ++i) *at++ = 0;
        CopyEvery(typed + piece->from, step, piece->count, at);
        at += piece->count;
        for (int32_t i = 0; i < piece->after; ++i) *at++ = 0;
      }
    }
  });
}

void StoreSums(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns, DType dtype,
               void* to, int64_t stride) {
  WithType(dtype, [&](auto element) HWY_ATTR {
    auto* const typed = static_cast<decltype(element)*>(to);
    for (int64_t r = 0; r < rows; ++r) {
      ConvertRow(sums + r * sums_stride, columns, typed + r * stride);
    }
  });
}

void StoreTransposed(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns,
                     DType dtype, void* to, int64_t stride) {
  if (dtype == DType::kFloat32) {
    return Transpose(sums, sums_stride, rows, columns, static_cast<float*>(to), stride);
  }
  HWY_ALIGN float tile[kTileRows * kTileColumns];
  for (int64_t c = 0; c < columns; c += kTileRows) {
    const int64_t width = HWY_MIN(kTileRows, columns - c);
    for (int64_t r = 0; r < rows; r += kTileColumns) {
      const int64_t height = HWY_MIN(kTileColumns, rows - r);
      Transpose(sums + r * sums_stride + c, sums_stride, height, width, tile, kTileColumns);
      StoreSums(tile, kTileColumns, width, height, dtype,
                static_cast<char*>(to) + (c * stride + r) * static_cast<int64_t>(SizeOf(dtype)),
                stride);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::convolution_backward::vectors
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward::vectors {

HWY_EXPORT(VectorLanes);
HWY_EXPORT(TransposeRows);
HWY_EXPORT(SumSegments);
HWY_EXPORT(CopyPieces);
HWY_EXPORT(StoreSums);
HWY_EXPORT(StoreTransposed);

namespace {

const BFloat16* Pairs(const void* from) { return static_cast<const BFloat16*>(from); }

}  // namespace

int64_t Lanes(Factors factors) {
  return factors == Factors::kPairs ? dots::kLanes : HWY_DYNAMIC_DISPATCH(VectorLanes)();
}

bool HasPairs() { return dots::IsSupported(); }

void PackRightTransposed(Factors factors, DType dtype, const void* from, int64_t stride,
                         int64_t columns, int64_t depth, float* panel, int64_t width) {
  if (factors == Factors::kPairs) {
    return dots::PackRightTransposed(Pairs(from), stride, columns, depth, panel, width);
  }
  HWY_DYNAMIC_DISPATCH(TransposeRows)(dtype, from, stride, columns, depth, panel, width);
}

void MultiplySegments(Factors factors, const float* left, const Segment* segments, int64_t count,
                      const float* right, int64_t vectors, bool add, float* sums, int64_t stride,
                      const int32_t* to, int64_t rows) {
  if (factors == Factors::kPairs) {
    return dots::MultiplySegments(left, segments, count, right, vectors, add, sums, stride, to,
                                  rows);
  }
  HWY_DYNAMIC_DISPATCH(SumSegments)
  (left, segments, count, right, vectors, add, sums, stride, to, rows);
}

void PackPieces(Factors factors, DType dtype, const void* from, int64_t stride, int64_t step,
                int64_t rows, const Piece* pieces, int64_t count, float* to, int64_t to_stride) {
  if (factors == Factors::kPairs) {
    return dots::PackPieces(Pairs(from), stride, step, rows, pieces, count, to, to_stride);
  }
  HWY_DYNAMIC_DISPATCH(CopyPieces)
  (dtype, from, stride, step, rows, pieces, count, to, to_stride);
}

void StoreRows(Factors factors, const float* sums, int64_t sums_stride, int64_t rows,
               int64_t columns, DType dtype, void* to, int64_t stride) {
  if (factors == Factors::kPairs && dtype == DType::kBFloat16) {
    return dots::StoreRows(sums, sums_stride, rows, columns, static_cast<BFloat16*>(to), stride);
  }
  HWY_DYNAMIC_DISPATCH(StoreSums)(sums, sums_stride, rows, columns, dtype, to, stride);
}

void StoreColumns(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns,
                  DType dtype, void* to, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(StoreTransposed)(sums, sums_stride, rows, columns, dtype, to, stride);
}

}  // namespace aclimb::convolution_backward::vectors
#endif
