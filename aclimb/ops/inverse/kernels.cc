#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/inverse/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "aclimb/ops/inverse/condition.h"
#include "aclimb/ops/inverse/kernels.h"
#include "aclimb/ops/inverse/sums-inl.h"
#include "aclimb/simd/weighted-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::inverse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::AddTimes;

// row -= the sum of kSteps factors times as many others
HWY_INLINE void SubtractAll(double* HWY_RESTRICT row, const double* factors,
                            const double* HWY_RESTRICT others, int64_t count) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t apart = ApartOf(count);
  int64_t c = 0;
  for (; c + lanes <= count; c += lanes) {
    auto sum = hn::LoadU(d, row + c);
    for (int64_t i = 0; i < kSteps; ++i) {
      sum = hn::NegMulAdd(hn::Set(d, factors[i]), hn::LoadU(d, others + i * apart + c), sum);
    }
    hn::StoreU(sum, d, row + c);
  }
  for (; c < count; ++c) {
    for (int64_t i = 0; i < kSteps; ++i) row[c] -= factors[i] * others[i * apart + c];
  }
}

// The largest element of each column, and the sums of the rows of the matrix that is scaled by
// them, all without signs.
void MeasureRows(const double* matrix, int64_t rows, const Scratch& scratch) {
  double* HWY_RESTRICT scales = scratch.scales;
  std::fill_n(scales, rows, 0.0);
  for (int64_t r = 0; r < rows; ++r) {
    const double* const row = matrix + r * rows;
    for (int64_t c = 0; c < rows; ++c) scales[c] = std::max(scales[c], std::fabs(row[c]));
  }
  double* HWY_RESTRICT inverses = scratch.factors;
  for (int64_t c = 0; c < rows; ++c) inverses[c] = 1 / scales[c];
  for (int64_t r = 0; r < rows; ++r) {
    scratch.sizes[r] = SumOfSizes(matrix + r * rows, inverses, rows);
  }
}

// Of a row of the inverse, whose sum with the sizes is its condition.
bool IsCertain(const double* row, int64_t rows, double scale, const double* sizes) {
  return SumOfSizes(row, sizes, rows) * scale <= kMostCondition;
}

// Steps [begin, end) of Gauss and Jordan. Rows outside of these are changed once, at the end: until
// then their columns of the steps stand in `factors`, where a step brings its own up to date, and
// a row that becomes a pivot's is changed first.
void TakeSteps(double* matrix, int64_t rows, int64_t begin, int64_t end, const Scratch& scratch) {
  const auto& [pivots, scales, sizes, factors, others] = scratch;
  const int64_t apart = ApartOf(rows);
  std::fill_n(factors, rows * kSteps, 0.0);
  std::fill_n(others, apart * kSteps, 0.0);
  for (int64_t r = 0; r < rows; ++r) {
    double* const columns = matrix + r * rows + begin;
    // Calls of functions that copy would take longer than so few elements.
    for (int64_t i = 0; i < end - begin; ++i) {
      factors[r * kSteps + i] = std::exchange(columns[i], 0.0);
    }
  }
  for (int64_t k = begin; k < end; ++k) {
    const int64_t steps = k - begin;
    int64_t best = k;
    for (int64_t r = 0; r < rows; ++r) {
      if (r >= begin && r < k) continue;
      double* const factor = factors + r * kSteps;
      for (int64_t i = 0; i < steps; ++i) factor[steps] -= factor[i] * others[i * apart + k];
      const double largest = std::fabs(factors[best * kSteps + steps]);
      if (r > k && std::fabs(factor[steps]) > largest) best = r;
    }
    for (int64_t i = 0; i < steps; ++i) others[i * apart + k] = 0;
    double* const row = matrix + k * rows;
    double* const factor = factors + k * kSteps;
    pivots[k] = best;
    if (best != k) {
      std::swap_ranges(row, row + rows, matrix + best * rows);
      std::swap_ranges(factor, factor + kSteps, factors + best * kSteps);
    }
    const double pivot = factor[steps];
    for (int64_t i = steps; i < end - begin; ++i) row[begin + i] = factor[i];
    for (int64_t i = 0; i < steps; ++i) AddTimes(others + i * apart, -factor[i], rows, row);
    row[k] = 1;
    double* const other = others + steps * apart;
    for (int64_t c = 0; c < rows; ++c) other[c] = row[c] /= pivot;
    for (int64_t r = begin; r < k; ++r) {
      AddTimes(row, -std::exchange(matrix[r * rows + k], 0.0), rows, matrix + r * rows);
    }
  }
  for (int64_t r = 0; r < rows; ++r) {
    if (r >= begin && r < end) continue;
    SubtractAll(matrix + r * rows, factors + r * kSteps, others, rows);
  }
}

// Gauss and Jordan's way: step by step a column of the matrix becomes one of the inverse. Rows
// that change places on the way are columns of the inverse that change back at the end.
void InvertOne(double* matrix, int64_t rows, const Scratch& scratch) {
  int64_t* const pivots = scratch.pivots;
  MeasureRows(matrix, rows, scratch);
  for (int64_t k = 0; k < rows; k += kSteps) {
    TakeSteps(matrix, rows, k, std::min(rows, k + kSteps), scratch);
  }
  for (int64_t r = 0; r < rows; ++r) {
    double* const row = matrix + r * rows;
    for (int64_t k = rows - 1; k >= 0; --k) std::swap(row[k], row[pivots[k]]);
  }
  for (int64_t r = 0; r < rows; ++r) {
    if (IsCertain(matrix + r * rows, rows, scratch.scales[r], scratch.sizes)) continue;
    std::fill_n(matrix, rows * rows, std::numeric_limits<double>::quiet_NaN());
    return;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::inverse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::inverse {

HWY_EXPORT(InvertOne);

void Invert(double* matrix, int64_t rows, const Scratch& scratch) {
  HWY_DYNAMIC_DISPATCH(InvertOne)(matrix, rows, scratch);
}

}  // namespace aclimb::inverse
#endif
