#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/matmul/vectors.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl header is included once per target.
#include <hwy/cache_control.h>

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/matmul/vectors.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace matmul {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::LoadFirst;

using Tag = hn::ScalableTag<float>;

// Terms that one lane adds in float32, about.
constexpr int64_t kBlock = 1024;

// Two vectors, both in a near cache at best: four sums keep the processor busy.
template <typename T>
HWY_INLINE double Dot(const T* a, const float* x, int64_t terms) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  double total = 0;
  for (int64_t begin = 0; begin < terms; begin += kBlock * lanes) {
    const int64_t end = std::min(terms, begin + kBlock * lanes);
    auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
    int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      sum0 = hn::MulAdd(LoadF32(d, a + i), hn::LoadU(d, x + i), sum0);
      sum1 = hn::MulAdd(LoadF32(d, a + i + lanes), hn::LoadU(d, x + i + lanes), sum1);
      sum2 = hn::MulAdd(LoadF32(d, a + i + 2 * lanes), hn::LoadU(d, x + i + 2 * lanes), sum2);
      sum3 = hn::MulAdd(LoadF32(d, a + i + 3 * lanes), hn::LoadU(d, x + i + 3 * lanes), sum3);
    }
    for (; i + lanes <= end; i += lanes) {
      sum0 = hn::MulAdd(LoadF32(d, a + i), hn::LoadU(d, x + i), sum0);
    }
    if (i < end) {
      sum1 = hn::MulAdd(LoadFirst(d, a + i, end - i), LoadFirst(d, x + i, end - i), sum1);
    }
    const auto sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
  }
  return total;
}

// Sums of kRows rows, 1 or kTogether, that are `stride` elements apart, and their totals `apart`. A
// row's sum does not depend on kRows.
template <int kRows, typename T>
HWY_INLINE void DotRows(const T* a, int64_t stride, const float* x, int64_t terms, double* totals,
                        int64_t apart) {
  static_assert(kTogether == 4 && (kRows == 1 || kRows == kTogether));
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (kRows == 1) stride = 0;
  const T *const row0 = a, *const row1 = a + stride, *const row2 = row1 + stride,
                 *const row3 = row2 + stride;
  double total0 = 0, total1 = 0, total2 = 0, total3 = 0;
  for (int64_t begin = 0; begin < terms; begin += kBlock * lanes) {
    const int64_t end = std::min(terms, begin + kBlock * lanes);
    auto even0 = hn::Zero(d), even1 = hn::Zero(d), even2 = hn::Zero(d), even3 = hn::Zero(d);
    auto odd0 = hn::Zero(d), odd1 = hn::Zero(d), odd2 = hn::Zero(d), odd3 = hn::Zero(d);
    int64_t i = begin;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      const auto x0 = hn::LoadU(d, x + i), x1 = hn::LoadU(d, x + i + lanes);
      even0 = hn::MulAdd(LoadF32(d, row0 + i), x0, even0);
      odd0 = hn::MulAdd(LoadF32(d, row0 + i + lanes), x1, odd0);
      if constexpr (kRows > 1) {
        even1 = hn::MulAdd(LoadF32(d, row1 + i), x0, even1);
        odd1 = hn::MulAdd(LoadF32(d, row1 + i + lanes), x1, odd1);
        even2 = hn::MulAdd(LoadF32(d, row2 + i), x0, even2);
        odd2 = hn::MulAdd(LoadF32(d, row2 + i + lanes), x1, odd2);
        even3 = hn::MulAdd(LoadF32(d, row3 + i), x0, even3);
        odd3 = hn::MulAdd(LoadF32(d, row3 + i + lanes), x1, odd3);
      }
    }
    for (; i < end; i += lanes) {
      const int64_t count = std::min(lanes, end - i);
      const auto load = [&](const auto* from) HWY_ATTR {
        return count == lanes ? LoadF32(d, from + i) : LoadFirst(d, from + i, count);
      };
      const auto x0 = load(x);
      even0 = hn::MulAdd(load(row0), x0, even0);
      if constexpr (kRows > 1) {
        even1 = hn::MulAdd(load(row1), x0, even1);
        even2 = hn::MulAdd(load(row2), x0, even2);
        even3 = hn::MulAdd(load(row3), x0, even3);
      }
    }
    const auto add = [&](double& total, hn::Vec<Tag> even, hn::Vec<Tag> odd) HWY_ATTR {
      total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))));
    };
    add(total0, even0, odd0);
    if constexpr (kRows > 1) {
      add(total1, even1, odd1);
      add(total2, even2, odd2);
      add(total3, even3, odd3);
    }
  }
  totals[0] = total0;
  if constexpr (kRows > 1) {
    totals[apart] = total1;
    totals[2 * apart] = total2;
    totals[3 * apart] = total3;
  }
}

template <typename T>
void AlongTerms(const void* matrix, int64_t stride, const float* x, int64_t terms, int64_t results,
                double* totals) {
  const auto row = [&](int64_t j) { return static_cast<const T*>(matrix) + j * stride; };
  const int64_t apart = results / kTogether;
  for (int64_t j = 0; j < apart; ++j) {
    DotRows<kTogether>(row(j), apart * stride, x, terms, totals + j, apart);
  }
  for (int64_t j = kTogether * apart; j < results; ++j) {
    DotRows<1>(row(j), 0, x, terms, totals + j, 0);
  }
}

template <typename T>
void OneAlongTerms(const void* row, int64_t, const float* x, int64_t terms, int64_t,
                   double* totals) {
  totals[0] = Dot(static_cast<const T*>(row), x, terms);
}

// sums[j] += row[j] * *x + ..., of so many rows, each `stride` elements and `apart` terms behind
// the one before it.
template <int kRows, typename T>
HWY_INLINE void AddRows(const T* row, int64_t stride, const float* x, int64_t apart,
                        int64_t results, float* HWY_RESTRICT sums) {
  static_assert(kRows == 1 || kRows == 4);
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (kRows == 1) stride = apart = 0;
  const T *const row1 = row + stride, *const row2 = row1 + stride, *const row3 = row2 + stride;
  const auto x0 = hn::Set(d, x[0]), x1 = hn::Set(d, x[apart]), x2 = hn::Set(d, x[2 * apart]),
             x3 = hn::Set(d, x[3 * apart]);
  const auto add = [&](int64_t j, const auto& load) HWY_ATTR {
    auto sum = hn::MulAdd(load(row + j), x0, hn::Load(d, sums + j));
    if constexpr (kRows > 1) {
      sum = hn::MulAdd(load(row1 + j), x1, sum);
      sum = hn::MulAdd(load(row2 + j), x2, sum);
      sum = hn::MulAdd(load(row3 + j), x3, sum);
    }
    hn::Store(sum, d, sums + j);
  };
  int64_t j = 0;
  for (; j + lanes <= results; j += lanes) {
    add(j, [&](const T* from) HWY_ATTR { return LoadF32(d, from); });
  }
  if (j < results) add(j, [&](const T* from) HWY_ATTR { return LoadFirst(d, from, results - j); });
}

template <typename T>
void AlongResults(const void* matrix, int64_t stride, const float* x, int64_t terms,
                  int64_t results, double* totals) {
  HWY_ALIGN float sums[kMostResults];  // stay in the nearest cache
  std::fill_n(totals, results, 0.0);
  for (int64_t begin = 0; begin < terms; begin += kBlock) {
    const int64_t end = std::min(terms, begin + kBlock);
    const auto row = [&](int64_t i) { return static_cast<const T*>(matrix) + i * stride; };
    std::fill_n(sums, RoundUp(results, static_cast<int64_t>(hn::Lanes(Tag()))), 0.0f);
    const int64_t apart = (end - begin) / kTogether;
    for (int64_t i = begin; i < begin + apart; ++i) {
      AddRows<kTogether>(row(i), apart * stride, x + i, apart, results, sums);
    }
    for (int64_t i = begin + kTogether * apart; i < end; ++i) {
      AddRows<1>(row(i), 0, x + i, 0, results, sums);
    }
    for (int64_t j = 0; j < results; ++j) totals[j] += static_cast<double>(sums[j]);
  }
}

// Elements from a row of a matrix to the one that is fetched with it, some kilobytes behind.
template <typename T>
int64_t RowsAhead(int64_t stride, int64_t length) {
  constexpr int64_t kBytesAhead = 2048;
  const int64_t bytes = std::max<int64_t>(1, length) * static_cast<int64_t>(sizeof(T));
  return stride * std::max<int64_t>(kTogether, kBytesAhead / bytes);
}

// kRows rows meet kTogether vectors.
template <int kRows, typename T>
HWY_INLINE void DotShared(const T* row, int64_t stride, int64_t ahead, const float* x,
                          int64_t x_row, int64_t terms, float* sums, int64_t sums_row) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<Tag> sum[kRows][kTogether];
  for (auto& of_row : sum) {
    for (auto& each : of_row) each = hn::Zero(d);
  }
  const auto add = [&](int64_t i, const auto& load) HWY_ATTR {
    hn::Vec<Tag> part[kRows];
    for (int r = 0; r < kRows; ++r) {
      hwy::Prefetch(row + r * stride + i + ahead);
      part[r] = load(row + r * stride + i);
    }
    for (int v = 0; v < kTogether; ++v) {
      const auto factor = load(x + v * x_row + i);
      for (int r = 0; r < kRows; ++r) sum[r][v] = hn::MulAdd(part[r], factor, sum[r][v]);
    }
  };
  int64_t i = 0;
  for (; i + lanes <= terms; i += lanes) {
    add(i, [&](const auto* from) HWY_ATTR { return LoadF32(d, from); });
  }
  if (i < terms) {
    add(i, [&](const auto* from) HWY_ATTR { return LoadFirst(d, from, terms - i); });
  }
  for (int v = 0; v < kTogether; ++v) {
    for (int r = 0; r < kRows; ++r) {
      sums[v * sums_row + r] = hn::GetLane(hn::SumOfLanes(d, sum[r][v]));
    }
  }
}

template <typename T>
void SharedAlongTerms(const void* matrix, int64_t stride, const float* x, int64_t x_row,
                      int64_t terms, int64_t results, float* sums, int64_t sums_row) {
  const auto* const rows = static_cast<const T*>(matrix);
  const int64_t ahead = RowsAhead<T>(stride, terms);
  int64_t j = 0;
  for (; j + 2 <= results; j += 2) {
    DotShared<2>(rows + j * stride, stride, ahead, x, x_row, terms, sums + j, sums_row);
  }
  if (j < results) {
    DotShared<1>(rows + j * stride, stride, ahead, x, x_row, terms, sums + j, sums_row);
  }
}

// sums[v][j] += row[j] * x[v][0] + ..., of kRows rows.
template <int kRows, typename T>
HWY_INLINE void AddShared(const T* row, int64_t stride, int64_t ahead, const float* x,
                          int64_t x_row, int64_t results, float* HWY_RESTRICT sums) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto add = [&](int64_t j, const auto& load) HWY_ATTR {
    hn::Vec<Tag> part[kRows];
    for (int r = 0; r < kRows; ++r) {
      hwy::Prefetch(row + r * stride + j + ahead);
      part[r] = load(row + r * stride + j);
    }
    for (int v = 0; v < kTogether; ++v) {
      float* const at = sums + v * kMostShared + j;
      auto sum = hn::Load(d, at);
      for (int r = 0; r < kRows; ++r) sum = hn::MulAdd(part[r], hn::Set(d, x[v * x_row + r]), sum);
      hn::Store(sum, d, at);
    }
  };
  int64_t j = 0;
  for (; j + lanes <= results; j += lanes) {
    add(j, [&](const T* from) HWY_ATTR { return LoadF32(d, from); });
  }
  if (j < results) add(j, [&](const T* from) HWY_ATTR { return LoadFirst(d, from, results - j); });
}

template <typename T>
void SharedAlongResults(const void* matrix, int64_t stride, const float* x, int64_t x_row,
                        int64_t terms, int64_t results, float* sums, int64_t sums_row) {
  HWY_ALIGN float own[kTogether * kMostShared];  // stay in the nearest cache
  const auto* const rows = static_cast<const T*>(matrix);
  const int64_t ahead = RowsAhead<T>(stride, results);
  for (int64_t begin = 0; begin < terms; begin += kBlock) {
    const int64_t end = std::min(terms, begin + kBlock);
    std::fill_n(own, kTogether * kMostShared, 0.0f);
    int64_t i = begin;
    for (; i + kTogether <= end; i += kTogether) {
      AddShared<kTogether>(rows + i * stride, stride, ahead, x + i, x_row, results, own);
    }
    for (; i < end; ++i) {
      AddShared<1>(rows + i * stride, stride, ahead, x + i, x_row, results, own);
    }
    for (int v = 0; v < kTogether; ++v) {
      for (int64_t j = 0; j < results; ++j) sums[v * sums_row + j] += own[v * kMostShared + j];
    }
  }
}

SharedSums SharedAlongTermsOf(DType matrix) {
  return matrix == DType::kFloat16    ? &SharedAlongTerms<Float16>
         : matrix == DType::kBFloat16 ? &SharedAlongTerms<BFloat16>
                                      : &SharedAlongTerms<float>;
}
SharedSums SharedAlongResultsOf(DType matrix) {
  return matrix == DType::kFloat16    ? &SharedAlongResults<Float16>
         : matrix == DType::kBFloat16 ? &SharedAlongResults<BFloat16>
                                      : &SharedAlongResults<float>;
}

template <typename T>
VectorSums AlongTermsOfType(int64_t results) {
  return results == 1 ? &OneAlongTerms<T> : &AlongTerms<T>;
}
VectorSums AlongTermsOf(DType matrix, int64_t results) {
  return matrix == DType::kFloat16    ? AlongTermsOfType<Float16>(results)
         : matrix == DType::kBFloat16 ? AlongTermsOfType<BFloat16>(results)
                                      : AlongTermsOfType<float>(results);
}
VectorSums AlongResultsOf(DType matrix) {
  return matrix == DType::kFloat16    ? &AlongResults<Float16>
         : matrix == DType::kBFloat16 ? &AlongResults<BFloat16>
                                      : &AlongResults<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace matmul
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::matmul {

HWY_EXPORT(AlongTermsOf);
HWY_EXPORT(AlongResultsOf);
HWY_EXPORT(SharedAlongTermsOf);
HWY_EXPORT(SharedAlongResultsOf);

VectorSums SumsAlongTerms(DType matrix, int64_t results) {
  return HWY_DYNAMIC_DISPATCH(AlongTermsOf)(matrix, results);
}
VectorSums SumsAlongResults(DType matrix) { return HWY_DYNAMIC_DISPATCH(AlongResultsOf)(matrix); }
SharedSums SharedSumsAlongTerms(DType matrix) {
  return HWY_DYNAMIC_DISPATCH(SharedAlongTermsOf)(matrix);
}
SharedSums SharedSumsAlongResults(DType matrix) {
  return HWY_DYNAMIC_DISPATCH(SharedAlongResultsOf)(matrix);
}

}  // namespace aclimb::matmul
#endif
