#include "aclimb/ops/cumulate/scan.h"

#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/cumulate/scan.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::cumulate {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

// Lane i of the result is lane of[i].
template <class D, class V, class Lane>
HWY_INLINE V Lanes(D d, V v, const Lane& of) {
  using T = hwy::MakeSigned<hn::TFromD<D>>;
  HWY_ALIGN T numbers[hn::MaxLanes(D())];
  for (size_t i = 0; i < hn::Lanes(d); ++i) numbers[i] = static_cast<T>(of(i));
  return hn::TableLookupLanes(v, hn::SetTableIndices(d, numbers));
}

// Each lane and those before it, of which sums of kDone neighbours are there.
template <size_t kDone, class D, class V>
HWY_INLINE V AddLanesBefore(D d, V v) {
  if constexpr (kDone >= hn::MaxLanes(D())) {
    return v;
  } else {
    const V before = Lanes(d, v, [](size_t i) { return i < kDone ? i : i - kDone; });
    const V sums = hn::Add(v, hn::IfThenZeroElse(hn::FirstN(d, kDone), before));
    return AddLanesBefore<2 * kDone>(d, sums);
  }
}

template <typename T, typename E>
T Scan(const E* x, int64_t count, T total, E* y) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // One addition waits for the last, for each vector.
  auto before = hn::Set(d, total);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto sums = AddLanesBefore<1>(d, LoadAs(d, x + i));
    StoreAs(d, hn::Add(before, sums), false, y + i);
    before = hn::Add(before, Lanes(d, sums, [&](size_t) { return hn::Lanes(d) - 1; }));
  }
  // One lane at a time: an integer wraps in a vector, too.
  const hn::CappedTag<T, 1> one;
  auto last = hn::Set(one, hn::GetLane(before));
  for (; i < count; ++i) {
    last = hn::Add(last, LoadAs(one, x + i));
    StoreAs(one, last, false, y + i);
  }
  return hn::GetLane(last);
}

template <typename T, typename E>
T Sum(const E* x, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a = hn::Zero(d), b = hn::Zero(d);
  int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    a = hn::Add(a, LoadAs(d, x + i));
    b = hn::Add(b, LoadAs(d, x + i + lanes));
  }
  const hn::CappedTag<T, 1> one;
  auto total = hn::Set(one, hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b))));
  for (; i < count; ++i) total = hn::Add(total, LoadAs(one, x + i));
  return hn::GetLane(total);
}

// Rows that come soon, which no prefetcher of the processor finds where rows are short.
template <typename E>
HWY_INLINE void PrefetchRow(const E* row, int64_t step, int64_t lines) {
  constexpr int64_t kAhead = 8;
  const auto at =
      reinterpret_cast<uintptr_t>(row) + static_cast<uintptr_t>(kAhead * step) * sizeof(E);
  for (uintptr_t k = 0; k < static_cast<uintptr_t>(lines) * sizeof(E); k += 64) {
    hwy::Prefetch(reinterpret_cast<const char*>(at + k));
  }
}

// Many lines side by side: no result waits for its neighbour.
template <bool kMultiplies, typename T, typename E>
HWY_INLINE void TakeRows(const E* x, const LineRows& rows, T* totals, E* y) {
  const auto take = [&](auto d, int64_t from, int64_t to, int64_t i) HWY_ATTR {
    const auto total = hn::LoadU(d, totals + i), term = LoadAs(d, x + from + i);
    const auto now = [&]() HWY_ATTR {
      if constexpr (kMultiplies) {
        return hn::Mul(total, term);
      } else {
        return hn::Add(total, term);
      }
    }();
    hn::StoreU(now, d, totals + i);
    if (y != nullptr) StoreAs(d, now, false, y + to + i);
  };
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool prefetches = rows.count > 1;
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t from = row * rows.from, to = row * rows.to;
    if (prefetches) {
      PrefetchRow(x + from, rows.from, rows.lines);
      if (y != nullptr) PrefetchRow(y + to, rows.to, rows.lines);
    }
    int64_t i = 0;
    for (; i + lanes <= rows.lines; i += lanes) take(d, from, to, i);
    for (; i < rows.lines; ++i) take(one, from, to, i);
  }
}
// Not every instruction set multiplies vectors of such integers.
HWY_INLINE void MultiplyWhole(const int64_t* x, const LineRows& rows, int64_t* totals, int64_t* y) {
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t i = 0; i < rows.lines; ++i) {
      const auto term = static_cast<uint64_t>(x[row * rows.from + i]);
      totals[i] = static_cast<int64_t>(static_cast<uint64_t>(totals[i]) * term);
      if (y != nullptr) y[row * rows.to + i] = totals[i];
    }
  }
}

void SumRowsOfFloats(const float* x, const LineRows& rows, double* totals, float* y) {
  TakeRows<false>(x, rows, totals, y);
}
void SumRowsOfDoubles(const double* x, const LineRows& rows, double* totals, double* y) {
  TakeRows<false>(x, rows, totals, y);
}
void SumRowsOfIntegers(const int64_t* x, const LineRows& rows, int64_t* totals, int64_t* y) {
  TakeRows<false>(x, rows, totals, y);
}
void MultiplyRowsOfFloats(const float* x, const LineRows& rows, double* totals, float* y) {
  TakeRows<true>(x, rows, totals, y);
}
void MultiplyRowsOfDoubles(const double* x, const LineRows& rows, double* totals, double* y) {
  TakeRows<true>(x, rows, totals, y);
}
void MultiplyRowsOfIntegers(const int64_t* x, const LineRows& rows, int64_t* totals, int64_t* y) {
  MultiplyWhole(x, rows, totals, y);
}

double ScanFloats(const float* x, int64_t count, double total, float* y) {
  return Scan(x, count, total, y);
}
double ScanDoubles(const double* x, int64_t count, double total, double* y) {
  return Scan(x, count, total, y);
}
int64_t ScanIntegers(const int64_t* x, int64_t count, int64_t total, int64_t* y) {
  return Scan(x, count, total, y);
}
double SumFloats(const float* x, int64_t count) { return Sum<double>(x, count); }
double SumDoubles(const double* x, int64_t count) { return Sum<double>(x, count); }
int64_t SumIntegers(const int64_t* x, int64_t count) { return Sum<int64_t>(x, count); }

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cumulate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::cumulate {

HWY_EXPORT(ScanFloats);
HWY_EXPORT(ScanDoubles);
HWY_EXPORT(ScanIntegers);
HWY_EXPORT(SumRowsOfFloats);
HWY_EXPORT(SumRowsOfDoubles);
HWY_EXPORT(SumRowsOfIntegers);
HWY_EXPORT(MultiplyRowsOfFloats);
HWY_EXPORT(MultiplyRowsOfDoubles);
HWY_EXPORT(MultiplyRowsOfIntegers);
HWY_EXPORT(SumFloats);
HWY_EXPORT(SumDoubles);
HWY_EXPORT(SumIntegers);

double RunningSums(const float* x, int64_t count, double total, float* y) {
  return HWY_DYNAMIC_DISPATCH(ScanFloats)(x, count, total, y);
}
double RunningSums(const double* x, int64_t count, double total, double* y) {
  return HWY_DYNAMIC_DISPATCH(ScanDoubles)(x, count, total, y);
}
int64_t RunningSums(const int64_t* x, int64_t count, int64_t total, int64_t* y) {
  return HWY_DYNAMIC_DISPATCH(ScanIntegers)(x, count, total, y);
}
void SumRows(const float* x, const LineRows& rows, double* totals, float* y) {
  HWY_DYNAMIC_DISPATCH(SumRowsOfFloats)(x, rows, totals, y);
}
void SumRows(const double* x, const LineRows& rows, double* totals, double* y) {
  HWY_DYNAMIC_DISPATCH(SumRowsOfDoubles)(x, rows, totals, y);
}
void SumRows(const int64_t* x, const LineRows& rows, int64_t* totals, int64_t* y) {
  HWY_DYNAMIC_DISPATCH(SumRowsOfIntegers)(x, rows, totals, y);
}
void MultiplyRows(const float* x, const LineRows& rows, double* totals, float* y) {
  HWY_DYNAMIC_DISPATCH(MultiplyRowsOfFloats)(x, rows, totals, y);
}
void MultiplyRows(const double* x, const LineRows& rows, double* totals, double* y) {
  HWY_DYNAMIC_DISPATCH(MultiplyRowsOfDoubles)(x, rows, totals, y);
}
void MultiplyRows(const int64_t* x, const LineRows& rows, int64_t* totals, int64_t* y) {
  HWY_DYNAMIC_DISPATCH(MultiplyRowsOfIntegers)(x, rows, totals, y);
}
double SumOf(const float* x, int64_t count) { return HWY_DYNAMIC_DISPATCH(SumFloats)(x, count); }
double SumOf(const double* x, int64_t count) { return HWY_DYNAMIC_DISPATCH(SumDoubles)(x, count); }
int64_t SumOf(const int64_t* x, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(SumIntegers)(x, count);
}

}  // namespace aclimb::cumulate
#endif
