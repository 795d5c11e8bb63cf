#include "aclimb/ops/embedding_bag/kernels.h"

#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/embedding_bag/kernels.cc"
// Sums are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/totals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::embedding_bag {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::StoreF32;

// A row of terms, from a column on.
template <typename T>
HWY_INLINE const T* RowAt(const Terms& terms, int64_t row, int64_t column) {
  const auto table = reinterpret_cast<uintptr_t>(terms.table);
  const auto away = static_cast<uintptr_t>(row) * static_cast<uintptr_t>(terms.step);
  return reinterpret_cast<const T*>(table + away) + column;
}
// Prefetches vector v of a row. A line at a time: processors drop what more there is.
template <typename T>
HWY_INLINE void PrefetchVector(const T* row, int v, int64_t lanes) {
  if (v * lanes * int64_t{sizeof(T)} % 64 == 0) hwy::Prefetch(row + v * lanes);
}

// Some vectors of columns. Their sums stay in registers for all rows, as far as there are enough.
template <int kVectors, typename T, typename Sum, class D>
HWY_INLINE void AddColumns(D d, const Terms& terms, int64_t column, Sum* sums) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> sum[kVectors];
  for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  for (int64_t k = 0; k < terms.count; ++k) {
    const T* const row = RowAt<T>(terms, terms.rows[k], column);
    const T* const later = RowAt<T>(terms, terms.later[k], column);
    const auto factor = hn::Set(d, terms.factors[k]);
    for (int v = 0; v < kVectors; ++v) {
      PrefetchVector(later, v, lanes);
      sum[v] = hn::MulAdd(factor, LoadF32(d, row + v * lanes), sum[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    if (terms.divisor != 1) sum[v] = hn::Div(sum[v], hn::Set(d, terms.divisor));
    StoreF32(d, sum[v], sums + column + v * lanes);
  }
}

template <typename T, typename Sum>
void AddRowsTo(const Terms& terms, int64_t width, Sum* sums) {
  const hn::ScalableTag<float> d;
  // AVX-512 alone has registers for sixteen sums; elsewhere another pass over rows takes less time.
  constexpr int kMost = hn::MaxLanes(d) >= 16 ? 16 : 8, kMany = 8, kFew = 4;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  if constexpr (kMost > kMany) {
    for (; c + kMost * lanes <= width; c += kMost * lanes) {
      AddColumns<kMost, T>(d, terms, c, sums);
    }
  }
  for (; c + kMany * lanes <= width; c += kMany * lanes) {
    AddColumns<kMany, T>(d, terms, c, sums);
  }
  for (; c + kFew * lanes <= width; c += kFew * lanes) {
    AddColumns<kFew, T>(d, terms, c, sums);
  }
  for (; c + lanes <= width; c += lanes) AddColumns<1, T>(d, terms, c, sums);
  for (; c < width; ++c) AddColumns<1, T>(hn::CappedTag<float, 1>(), terms, c, sums);
}

template <typename T>
void AddBags(const Terms* bags, int64_t count, int64_t width) {
  for (int64_t b = 0; b < count; ++b) AddRowsTo<T>(bags[b], width, static_cast<T*>(bags[b].sums));
}

void AddRowsHere(DType dtype, const Terms* bags, int64_t count, int64_t width) {
  const auto add = dtype == DType::kFloat32   ? &AddBags<float>
                   : dtype == DType::kFloat16 ? &AddBags<Float16>
                                              : &AddBags<BFloat16>;
  add(bags, count, width);
}

void AddRowsToTotalsHere(DType dtype, const Terms& terms, int64_t width, bool first,
                         double* totals) {
  float sums[kMostColumns];
  const auto add = dtype == DType::kFloat32   ? &AddRowsTo<float, float>
                   : dtype == DType::kFloat16 ? &AddRowsTo<Float16, float>
                                              : &AddRowsTo<BFloat16, float>;
  add(terms, width, sums);
  aclimb::HWY_NAMESPACE::AddToTotals(sums, width, first, totals);
}

// The largest elements of some vectors of columns, and the numbers of their rows among the terms:
// -1 where `largest` has been larger. They stay in registers for all rows.
template <int kVectors, typename T, class D>
HWY_INLINE void CompareColumns(D d, const Terms& terms, int64_t column, bool first, float* largest,
                               int32_t* which) {
  const hn::RebindToSigned<D> d32;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> most[kVectors];
  hn::Vec<decltype(d32)> from[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    most[v] = first ? LoadF32(d, RowAt<T>(terms, terms.rows[0], column) + v * lanes)
                    : hn::LoadU(d, largest + column + v * lanes);
    from[v] = hn::Set(d32, first ? 0 : -1);
  }
  for (int64_t k = 0; k < terms.count; ++k) {
    const T* const row = RowAt<T>(terms, terms.rows[k], column);
    const T* const later = RowAt<T>(terms, terms.later[k], column);
    const auto number = hn::Set(d32, static_cast<int32_t>(k));
    for (int v = 0; v < kVectors; ++v) {
      PrefetchVector(later, v, lanes);
      const auto x = LoadF32(d, row + v * lanes);
      const auto is_larger = hn::Gt(x, most[v]);
      most[v] = hn::IfThenElse(is_larger, x, most[v]);
      from[v] = hn::IfThenElse(hn::RebindMask(d32, is_larger), number, from[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(most[v], d, largest + column + v * lanes);
    hn::StoreU(from[v], d32, which + column + v * lanes);
  }
}

template <typename T>
void FindLargestOf(const Terms& terms, int64_t width, bool first, float* largest, int32_t* which) {
  constexpr int kMany = 4;
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + kMany * lanes <= width; c += kMany * lanes) {
    CompareColumns<kMany, T>(d, terms, c, first, largest, which);
  }
  for (; c + lanes <= width; c += lanes) CompareColumns<1, T>(d, terms, c, first, largest, which);
  for (; c < width; ++c) {
    CompareColumns<1, T>(hn::CappedTag<float, 1>(), terms, c, first, largest, which);
  }
}

void FindLargestHere(DType dtype, const Terms& terms, int64_t width, bool first, float* largest,
                     int32_t* which) {
  const auto find = dtype == DType::kFloat32   ? &FindLargestOf<float>
                    : dtype == DType::kFloat16 ? &FindLargestOf<Float16>
                                               : &FindLargestOf<BFloat16>;
  find(terms, width, first, largest, which);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::embedding_bag
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::embedding_bag {

HWY_EXPORT(AddRowsHere);
HWY_EXPORT(AddRowsToTotalsHere);
HWY_EXPORT(FindLargestHere);

void AddRows(DType dtype, const Terms* bags, int64_t count, int64_t width) {
  HWY_DYNAMIC_DISPATCH(AddRowsHere)(dtype, bags, count, width);
}
void AddRowsToTotals(DType dtype, const Terms& terms, int64_t width, bool first, double* totals) {
  HWY_DYNAMIC_DISPATCH(AddRowsToTotalsHere)(dtype, terms, width, first, totals);
}
void FindLargest(DType dtype, const Terms& terms, int64_t width, bool first, float* largest,
                 int32_t* which) {
  HWY_DYNAMIC_DISPATCH(FindLargestHere)(dtype, terms, width, first, largest, which);
}

}  // namespace aclimb::embedding_bag
#endif
