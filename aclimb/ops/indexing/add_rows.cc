#include "aclimb/ops/indexing/add_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/indexing/add_rows.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::indexing {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::StoreF32;

// Some vectors of columns. Their totals stay in registers for all rows.
template <int kVectors, typename T, class D>
HWY_INLINE void AddColumns(D d, const void* begin, const void* const* rows, int64_t count,
                           double alpha, int64_t column, double* totals) {
  const hn::Rebind<float, D> d32;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto load = [&](const void* row, int v) {
    return hn::PromoteTo(d, LoadF32(d32, static_cast<const T*>(row) + column + v * lanes));
  };
  hn::Vec<D> total[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    total[v] = begin == nullptr ? hn::LoadU(d, totals + column + v * lanes) : load(begin, v);
  }
  const auto factor = hn::Set(d, alpha);
  for (int64_t k = 0; k < count; ++k) {
    for (int v = 0; v < kVectors; ++v) total[v] = hn::MulAdd(factor, load(rows[k], v), total[v]);
  }
  for (int v = 0; v < kVectors; ++v) hn::StoreU(total[v], d, totals + column + v * lanes);
}

template <typename T>
void AddRowsOf(const void* begin, const void* const* rows, int64_t count, double alpha,
               int64_t width, double* totals) {
  constexpr int kMost = 8;
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + kMost * lanes <= width; c += kMost * lanes) {
    AddColumns<kMost, T>(d, begin, rows, count, alpha, c, totals);
  }
  for (; c + lanes <= width; c += lanes) AddColumns<1, T>(d, begin, rows, count, alpha, c, totals);
  for (; c < width; ++c) {
    AddColumns<1, T>(hn::CappedTag<double, 1>(), begin, rows, count, alpha, c, totals);
  }
}

void AddRowsHere(DType dtype, const void* begin, const void* const* rows, int64_t count,
                 double alpha, int64_t width, double* totals) {
  const auto add = dtype == DType::kFloat32   ? &AddRowsOf<float>
                   : dtype == DType::kFloat16 ? &AddRowsOf<Float16>
                                              : &AddRowsOf<BFloat16>;
  add(begin, rows, count, alpha, width, totals);
}

// Some vectors of columns, from a column on. Their sums stay in registers for all rows.
template <int kVectors, typename T, class D>
HWY_INLINE int64_t AddFewColumns(D d, const void* const* rows, int64_t count, int64_t column,
                                 int64_t width, T* to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; column + kVectors * lanes <= width; column += kVectors * lanes) {
    hn::Vec<D> sum[kVectors];
    for (int v = 0; v < kVectors; ++v) sum[v] = LoadF32(d, to + column + v * lanes);
    for (int64_t k = 0; k < count; ++k) {
      const T* const row = static_cast<const T*>(rows[k]) + column;
      for (int v = 0; v < kVectors; ++v) sum[v] = hn::Add(sum[v], LoadF32(d, row + v * lanes));
    }
    for (int v = 0; v < kVectors; ++v) StoreF32(d, sum[v], to + column + v * lanes);
  }
  return column;
}

template <typename T>
void AddFewRowsOf(const void* const* rows, int64_t count, int64_t width, void* to) {
  auto* const sums = static_cast<T*>(to);
  const hn::ScalableTag<float> d;
  int64_t c = AddFewColumns<4>(d, rows, count, 0, width, sums);
  c = AddFewColumns<1>(d, rows, count, c, width, sums);
  c = AddFewColumns<1>(hn::CappedTag<float, 4>(), rows, count, c, width, sums);
  AddFewColumns<1>(hn::CappedTag<float, 1>(), rows, count, c, width, sums);
}

void AddFewRowsHere(DType dtype, const void* const* rows, int64_t count, int64_t width, void* to) {
  const auto add = dtype == DType::kFloat32   ? &AddFewRowsOf<float>
                   : dtype == DType::kFloat16 ? &AddFewRowsOf<Float16>
                                              : &AddFewRowsOf<BFloat16>;
  add(rows, count, width, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::indexing
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::indexing {

HWY_EXPORT(AddRowsHere);
HWY_EXPORT(AddFewRowsHere);

void AddRowsToTotals(DType dtype, const void* begin, const void* const* rows, int64_t count,
                     double alpha, int64_t width, double* totals) {
  HWY_DYNAMIC_DISPATCH(AddRowsHere)(dtype, begin, rows, count, alpha, width, totals);
}
void AddFewRows(DType dtype, const void* const* rows, int64_t count, int64_t width, void* to) {
  HWY_DYNAMIC_DISPATCH(AddFewRowsHere)(dtype, rows, count, width, to);
}

}  // namespace aclimb::indexing
#endif
