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
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward::vectors {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::EachVector;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::Transpose;
using convolution_backward::HWY_NAMESPACE::ConvertRow;
using convolution_backward::HWY_NAMESPACE::WithType;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// Rows whose sums the registers hold at once, beside a row of the right operand.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_ARCH_ARM_A64
constexpr int64_t kHeldRows = 8;
#else
constexpr int64_t kHeldRows = 4;
#endif
static_assert(kRows % kHeldRows == 0);

// What passes between two layouts in pieces that stay in the nearest cache.
constexpr int64_t kTileRows = 48, kTileColumns = 128;

int64_t VectorLanes() { return static_cast<int64_t>(hn::Lanes(Tag())); }

void ConvertToFloat(DType dtype, const void* from, int64_t count, float* to) {
  WithType(dtype, [&](auto element) HWY_ATTR {
    ConvertRow(static_cast<const decltype(element)*>(from), count, to);
  });
}

// to[row / kRows][column][row % kRows] = from[column][row]
void CopyToLeftPanels(DType dtype, const void* from, int64_t stride, int64_t rows, int64_t depth,
                      float* panels) {
  const hn::CappedTag<float, kRows> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = rows / kRows * kRows;
  WithType(dtype, [&](auto element) HWY_ATTR {
    const auto* const typed = static_cast<const decltype(element)*>(from);
    for (int64_t k = 0; k < depth; ++k) {
      const auto* const at = typed + k * stride;
      float* to = panels + k * kRows;
      int64_t r = 0;
      for (; r < whole; r += kRows, to += depth * kRows) {
        for (int64_t i = 0; i < kRows; i += lanes) hn::Store(LoadF32(d, at + r + i), d, to + i);
      }
      ConvertRow(at + r, rows - r, to);
    }
  });
}

// Row after row, each as long as it is: short pieces of many rows would come slowly from memory.
void CopyToPanels(DType dtype, const void* from, int64_t stride, int64_t first, int64_t count,
                  int64_t columns, int64_t depth, float* panels) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = kMostVectors * lanes, whole = columns / width * width;
  const int64_t last_width = RoundUp(columns - whole, lanes);
  WithType(dtype, [&](auto element) HWY_ATTR {
    const auto* const typed = static_cast<const decltype(element)*>(from);
    for (int64_t k = 0; k < depth; ++k) {
      const auto* at = typed + k * stride;
      for (int64_t c = first; c < first + count;) {
        const int64_t panel = c / width * width, inside = c - panel;
        const int64_t end = HWY_MIN(first + count, panel + width);
        float* const to =
            panels + panel * depth + k * (panel < whole ? width : last_width) + inside;
        if (end - c == width) {
#pragma GCC unroll 3
          for (int v = 0; v < kMostVectors; ++v) {
            hn::Store(LoadF32(d, at + v * lanes), d, to + v * lanes);
          }
        } else {
          ConvertRow(at, end - c, to);
        }
        at += end - c;
        c = end;
      }
    }
  });
}

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
HWY_INLINE void Clear(Vector (&sum)[kHeldRows][kVectors]) {
#pragma GCC unroll 8
  for (int64_t r = 0; r < kHeldRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(Tag());
  }
}

// sum += row * panel. With kPanel rows lie side by side behind the first.
template <int kVectors, bool kPanel>
HWY_INLINE void AddProducts(const float* const (&row)[kHeldRows], const float* HWY_RESTRICT panel,
                            int64_t depth, Vector (&sum)[kHeldRows][kVectors]) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t k = 0; k < depth; ++k, panel += kVectors * lanes) {
    Vector columns[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) columns[v] = hn::Load(d, panel + v * lanes);
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      const Vector value = hn::Set(d, kPanel ? row[0][k * kRows + r] : row[r][k]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(value, columns[v], sum[r][v]);
    }
  }
}

// Sums of a row of a block to memory.
template <int kVectors>
HWY_INLINE void StoreRow(const Vector (&sum)[kVectors], bool add, float* HWY_RESTRICT to) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
#pragma GCC unroll 3
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(add ? hn::Add(sum[v], hn::LoadU(d, to + v * lanes)) : sum[v], d, to + v * lanes);
  }
}

template <int kVectors, bool kPanel>
HWY_INLINE void MultiplyBlock(const Left& left, const float* HWY_RESTRICT right, int64_t depth,
                              bool add, float* HWY_RESTRICT sums, int64_t stride) {
  for (int64_t first = 0; first < kRows; first += kHeldRows) {
    Vector sum[kHeldRows][kVectors];
    Clear(sum);
    const float* row[kHeldRows];
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      row[r] = static_cast<const float*>(left.data) +
               (kPanel ? first + r : HWY_MIN(first + r, left.rows - 1) * left.stride);
    }
    AddProducts<kVectors, kPanel>(row, right, depth, sum);
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      StoreRow<kVectors>(sum[r], add, sums + (first + r) * stride);
    }
  }
}

void MultiplyRows(const Left& left, const float* right, int64_t vectors, int64_t depth, bool add,
                  float* sums, int64_t stride) {
  using Function = void (*)(const Left&, const float*, int64_t, bool, float*, int64_t);
  constexpr Function kFunctions[kMostVectors][2] = {
      {MultiplyBlock<1, false>, MultiplyBlock<1, true>},
      {MultiplyBlock<2, false>, MultiplyBlock<2, true>},
      {MultiplyBlock<3, false>, MultiplyBlock<3, true>}};
  kFunctions[vectors - 1][left.is_panel ? 1 : 0](left, right, depth, add, sums, stride);
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
      AddProducts<kVectors, false>(row, right + segments[s].right * kVectors * lanes,
                                   segments[s].depth, sum);
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
HWY_EXPORT(ConvertToFloat);
HWY_EXPORT(CopyToLeftPanels);
HWY_EXPORT(CopyToPanels);
HWY_EXPORT(TransposeRows);
HWY_EXPORT(MultiplyRows);
HWY_EXPORT(SumSegments);
HWY_EXPORT(CopyPieces);
HWY_EXPORT(StoreSums);
HWY_EXPORT(StoreTransposed);

namespace {

// The last panel of a left operand, if rows do not fill it.
void ClearLast(int64_t rows, int64_t depth, float* panels) {
  const int64_t whole = rows / kRows * kRows;
  if (whole < rows) std::fill_n(panels + whole * depth, kRows * depth, 0.0f);
}

const BFloat16* Pairs(const void* from) { return static_cast<const BFloat16*>(from); }

}  // namespace

int64_t Lanes(Factors factors) {
  return factors == Factors::kPairs ? dots::kLanes : HWY_DYNAMIC_DISPATCH(VectorLanes)();
}

bool HasPairs() { return dots::IsSupported(); }

void PackLeft(Factors factors, DType dtype, const void* from, int64_t stride, int64_t rows,
              int64_t depth, float* panels) {
  if (factors == Factors::kPairs) return dots::PackLeft(Pairs(from), stride, rows, depth, panels);
  ClearLast(rows, depth, panels);
  const int64_t block = kRows * stride * static_cast<int64_t>(SizeOf(dtype));
  for (int64_t r = 0; r < rows; r += kRows) {
    HWY_DYNAMIC_DISPATCH(TransposeRows)
    (dtype, static_cast<const char*>(from) + r / kRows * block, stride, std::min(kRows, rows - r),
     depth, panels + r * depth, kRows);
  }
}

void PackLeftTransposed(Factors factors, DType dtype, const void* from, int64_t stride,
                        int64_t rows, int64_t depth, float* panels) {
  if (factors == Factors::kPairs) {
    return dots::PackLeftTransposed(Pairs(from), stride, rows, depth, panels);
  }
  ClearLast(rows, depth, panels);
  HWY_DYNAMIC_DISPATCH(CopyToLeftPanels)(dtype, from, stride, rows, depth, panels);
}

void PackRight(Factors factors, DType dtype, const void* from, int64_t stride, int64_t first,
               int64_t count, int64_t columns, int64_t depth, float* panels) {
  if (factors == Factors::kPairs) {
    return dots::PackRight(Pairs(from), stride, first, count, columns, depth, panels);
  }
  HWY_DYNAMIC_DISPATCH(CopyToPanels)(dtype, from, stride, first, count, columns, depth, panels);
}

void PackRightTransposed(Factors factors, DType dtype, const void* from, int64_t stride,
                         int64_t columns, int64_t depth, float* panel, int64_t width) {
  if (factors == Factors::kPairs) {
    return dots::PackRightTransposed(Pairs(from), stride, columns, depth, panel, width);
  }
  HWY_DYNAMIC_DISPATCH(TransposeRows)(dtype, from, stride, columns, depth, panel, width);
}

void PackRow(Factors factors, DType dtype, const void* from, int64_t depth, float* to) {
  if (factors == Factors::kPairs) return dots::PackRow(Pairs(from), depth, to);
  HWY_DYNAMIC_DISPATCH(ConvertToFloat)(dtype, from, depth, to);
}

void Multiply(Factors factors, const Left& left, const float* right, int64_t vectors, int64_t depth,
              bool add, float* sums, int64_t stride) {
  if (factors == Factors::kPairs) {
    return dots::Multiply(left, right, vectors, depth, add, sums, stride);
  }
  HWY_DYNAMIC_DISPATCH(MultiplyRows)(left, right, vectors, depth, add, sums, stride);
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

void MultiplyInto(Factors factors, const Left& left, const float* right, int64_t vectors,
                  int64_t depth, void* to, int64_t stride) {
  if (factors == Factors::kPairs) {
    return dots::MultiplyInto(left, right, vectors, depth, static_cast<BFloat16*>(to), stride);
  }
  HWY_DYNAMIC_DISPATCH(MultiplyRows)
  (left, right, vectors, depth, false, static_cast<float*>(to), stride);
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
