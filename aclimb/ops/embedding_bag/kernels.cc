#include "aclimb/ops/embedding_bag/kernels.h"

#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/embedding_bag/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/totals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::embedding_bag {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::LoadF32;

// Some vectors of columns. Their sums stay in registers for all rows, as far as there are enough.
template <int kVectors, typename T, class D>
HWY_INLINE void AddColumns(D d, const Terms& terms, int64_t column, float* sums) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> sum[kVectors];
  for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  const auto row_at = [&terms, column](int64_t row) {
    const auto table = reinterpret_cast<uintptr_t>(terms.table);
    const auto away = static_cast<uintptr_t>(row) * static_cast<uintptr_t>(terms.step);
    return reinterpret_cast<const T*>(table + away) + column;
  };
  for (int64_t k = 0; k < terms.count; ++k) {
    const T* const row = row_at(terms.rows[k]);
    const T* const later = row_at(terms.later[k]);
    const auto factor = hn::Set(d, terms.factors[k]);
    for (int v = 0; v < kVectors; ++v) {
      // A line at a time: processors drop what more there is.
      if (v * lanes * int64_t{sizeof(T)} % 64 == 0) hwy::Prefetch(later + v * lanes);
      sum[v] = hn::MulAdd(factor, LoadF32(d, row + v * lanes), sum[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, sums + column + v * lanes);
}

template <typename T>
void AddRowsOf(const Terms& terms, int64_t width, float* sums) {
  // AVX2 keeps two of so many sums in memory, which takes less time than another pass over rows.
  constexpr int kMost = 16, kMany = 8;
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + kMost * lanes <= width; c += kMost * lanes) AddColumns<kMost, T>(d, terms, c, sums);
  for (; c + kMany * lanes <= width; c += kMany * lanes) AddColumns<kMany, T>(d, terms, c, sums);
  for (; c + lanes <= width; c += lanes) AddColumns<1, T>(d, terms, c, sums);
  for (; c < width; ++c) AddColumns<1, T>(hn::CappedTag<float, 1>(), terms, c, sums);
}

void AddRowsHere(DType dtype, const Terms& terms, int64_t width, float* sums) {
  if (dtype == DType::kFloat32) return AddRowsOf<float>(terms, width, sums);
  if (dtype == DType::kFloat16) return AddRowsOf<Float16>(terms, width, sums);
  AddRowsOf<BFloat16>(terms, width, sums);
}

void AddRowsToTotalsHere(DType dtype, const Terms& terms, int64_t width, bool first,
                         double* totals) {
  float sums[kMostColumns];
  AddRowsHere(dtype, terms, width, sums);
  aclimb::HWY_NAMESPACE::AddToTotals(sums, width, first, totals);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::embedding_bag
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::embedding_bag {

HWY_EXPORT(AddRowsHere);
HWY_EXPORT(AddRowsToTotalsHere);

void AddRows(DType dtype, const Terms& terms, int64_t width, float* sums) {
  HWY_DYNAMIC_DISPATCH(AddRowsHere)(dtype, terms, width, sums);
}
void AddRowsToTotals(DType dtype, const Terms& terms, int64_t width, bool first, double* totals) {
  HWY_DYNAMIC_DISPATCH(AddRowsToTotalsHere)(dtype, terms, width, first, totals);
}

}  // namespace aclimb::embedding_bag
#endif
