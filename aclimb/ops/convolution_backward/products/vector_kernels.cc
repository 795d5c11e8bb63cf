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
#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/ops/convolution_backward/pack-inl.h"
#include "aclimb/ops/convolution_backward/products/vector_kernels.h"
#include "aclimb/simd/factors-inl.h"
#include "aclimb/simd/panel-inl.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward::vectors {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::AddProducts;
using aclimb::HWY_NAMESPACE::Clear;
using aclimb::HWY_NAMESPACE::kHeldRows;
using aclimb::HWY_NAMESPACE::MultiplyAdd;
using aclimb::HWY_NAMESPACE::StoreRow;
using aclimb::HWY_NAMESPACE::Transpose;
using aclimb::HWY_NAMESPACE::WithFactors;
using convolution_backward::HWY_NAMESPACE::ConvertRow;
using convolution_backward::HWY_NAMESPACE::Form;
using convolution_backward::HWY_NAMESPACE::PackRow;
using convolution_backward::HWY_NAMESPACE::PlaneElement;

using Tag = aclimb::HWY_NAMESPACE::PanelTag;
using Vector = aclimb::HWY_NAMESPACE::PanelVector;

static_assert(kRows % kHeldRows == 0);

// What passes between two layouts in pieces that stay in the nearest cache.
constexpr int64_t kTileRows = 48, kTileColumns = 128;

int64_t VectorLanes() { return static_cast<int64_t>(hn::Lanes(Tag())); }

// Elements as they are packed: a number by itself, or a pair of neighbours in memory.
template <Factors kFactors>
constexpr Form kFormOf = kFactors == Factors::kPairs ? Form::kHalves : Form::kFloats;
template <Factors kFactors>
PlaneElement<kFormOf<kFactors>>* Row(float* packed) {
  return reinterpret_cast<PlaneElement<kFormOf<kFactors>>*>(packed);
}

// Calls body(factors, element of memory) with what stands for both.
template <class Body>
HWY_INLINE void WithOperand(Factors factors, DType dtype, const Body& body) {
  WithFactors(factors, [&](auto of) HWY_ATTR {
    if constexpr (of() == Factors::kPairs) {
      body(of, BFloat16());
    } else {
      WithType(dtype, [&](auto element) HWY_ATTR { body(of, element); });
    }
  });
}

// to[column][row] = from[row][column], of elements that are packed.
void TransposeRows(Factors factors, DType dtype, const void* from, int64_t stride, int64_t rows,
                   int64_t columns, float* to, int64_t to_stride) {
  WithOperand(factors, dtype, [&](auto of, auto element) HWY_ATTR {
    const auto* const typed = static_cast<const decltype(element)*>(from);
    if constexpr (std::is_same_v<decltype(element), float>) {
      Transpose(typed, stride, rows, columns, to, to_stride);
    } else {
      constexpr int64_t kSome = PerElement(of());
      HWY_ALIGN float tile[kTileRows * kTileColumns];
      for (int64_t r = 0; r < rows; r += kTileRows) {
        const int64_t height = HWY_MIN(kTileRows, rows - r);
        for (int64_t c = 0; c < columns; c += kSome * kTileColumns) {
          const int64_t count = HWY_MIN(kSome * kTileColumns, columns - c);
          for (int64_t k = 0; k < height; ++k) {
            PackRow<kFormOf<of()>>(typed + (r + k) * stride + c, 1, 0, count, RoundUp(count, kSome),
                                   Row<of()>(tile + k * kTileColumns));
          }
          Transpose(tile, kTileColumns, height, CeilDivide(count, kSome),
                    to + c / kSome * to_stride + r, to_stride);
        }
      }
    }
  });
}

template <Factors kFactors, int kVectors>
void SumBlock(const float* left, const Terms* terms, int64_t count, const float* right, bool add,
              float* sums, int64_t stride, const int32_t* to, int64_t rows) {
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
      for (int64_t r = 0; r < kHeldRows; ++r) row[r] = left + terms[s].left[first + r];
      AddProducts<kVectors>(row, right + terms[s].right * kVectors * lanes, kVectors * lanes,
                            terms[s].count, sum, [](Vector a, Vector b, Vector c) HWY_ATTR {
                              return MultiplyAdd<kFactors>(Tag(), a, b, c);
                            });
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      if (first + r < rows) StoreRow<kVectors>(sum[r], add, sums + to[first + r] * stride);
    }
  }
}

void SumRows(Factors factors, const float* left, const Terms* terms, int64_t count,
             const float* right, int64_t vectors, bool add, float* sums, int64_t stride,
             const int32_t* to, int64_t rows) {
  using Function = void (*)(const float*, const Terms*, int64_t, const float*, bool, float*,
                            int64_t, const int32_t*, int64_t);
  WithFactors(factors, [&](auto of) HWY_ATTR {
    constexpr Function kFunctions[kMostVectors] = {SumBlock<of(), 1>, SumBlock<of(), 2>,
                                                   SumBlock<of(), 3>};
    kFunctions[vectors - 1](left, terms, count, right, add, sums, stride, to, rows);
  });
}

void CopyLines(Factors factors, DType dtype, const void* from, int64_t stride, int64_t step,
               int64_t rows, const Line* lines, int64_t count, float* to, int64_t to_stride) {
  WithOperand(factors, dtype, [&](auto of, auto element) HWY_ATTR {
    for (int64_t r = 0; r < rows; ++r) {
      const auto* const typed = static_cast<const decltype(element)*>(from) + r * stride;
      auto* const row = Row<of()>(to + r * to_stride);
      for (const Line* line = lines; line != lines + count; ++line) {
        PackRow<kFormOf<of()>>(typed + line->from, step, line->before, line->count, line->length,
                               row + line->to);
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
HWY_EXPORT(SumRows);
HWY_EXPORT(CopyLines);
HWY_EXPORT(StoreSums);
HWY_EXPORT(StoreTransposed);

int64_t Lanes() { return HWY_DYNAMIC_DISPATCH(VectorLanes)(); }

void PackRightTransposed(Factors factors, DType dtype, const void* from, int64_t stride,
                         int64_t columns, int64_t depth, float* panel, int64_t width) {
  HWY_DYNAMIC_DISPATCH(TransposeRows)(factors, dtype, from, stride, columns, depth, panel, width);
}

void MultiplyTerms(Factors factors, const float* left, const Terms* terms, int64_t count,
                   const float* right, int64_t vectors, bool add, float* sums, int64_t stride,
                   const int32_t* to, int64_t rows) {
  HWY_DYNAMIC_DISPATCH(SumRows)
  (factors, left, terms, count, right, vectors, add, sums, stride, to, rows);
}

void PackLines(Factors factors, DType dtype, const void* from, int64_t stride, int64_t step,
               int64_t rows, const Line* lines, int64_t count, float* to, int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(CopyLines)
  (factors, dtype, from, stride, step, rows, lines, count, to, to_stride);
}

void StoreRows(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns, DType dtype,
               void* to, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(StoreSums)(sums, sums_stride, rows, columns, dtype, to, stride);
}

void StoreColumns(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns,
                  DType dtype, void* to, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(StoreTransposed)(sums, sums_stride, rows, columns, dtype, to, stride);
}

}  // namespace aclimb::convolution_backward::vectors
#endif
