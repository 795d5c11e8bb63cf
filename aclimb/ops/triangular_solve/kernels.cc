#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/triangular_solve/kernels.cc"
// Rows in registers are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/triangular_solve/kernels.h"
#include "aclimb/simd/weighted-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::triangular_solve {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::AddTimes;

// For kRowsTogether rows in registers: rows -= factors * solved. The factors of a solved row stand
// side by side, solved rows are `step` apart, and columns are whole pairs of vectors.
HWY_INLINE void SubtractSolved(double* const (&rows)[kRowsTogether], const double* factors,
                               const double* solved, int64_t step, int64_t count, int64_t columns) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < columns; c += 2 * lanes) {
    hn::Vec<decltype(d)> even[kRowsTogether], odd[kRowsTogether];
    for (int64_t r = 0; r < kRowsTogether; ++r) {
      even[r] = hn::LoadU(d, rows[r] + c);
      odd[r] = hn::LoadU(d, rows[r] + c + lanes);
    }
    for (int64_t k = 0; k < count; ++k) {
      const auto first = hn::LoadU(d, solved + k * step + c);
      const auto second = hn::LoadU(d, solved + k * step + c + lanes);
      for (int64_t r = 0; r < kRowsTogether; ++r) {
        const auto factor = hn::Set(d, factors[k * kRowsTogether + r]);
        even[r] = hn::NegMulAdd(factor, first, even[r]);
        odd[r] = hn::NegMulAdd(factor, second, odd[r]);
      }
    }
    for (int64_t r = 0; r < kRowsTogether; ++r) {
      hn::StoreU(even[r], d, rows[r] + c);
      hn::StoreU(odd[r], d, rows[r] + c + lanes);
    }
  }
}

template <typename T>
void SolveTyped(const Problem& p, double* scratch) {
  const auto* const matrix = static_cast<const T*>(p.matrix);
  const auto* const sides = static_cast<const T*>(p.sides);
  auto* const solutions = static_cast<T*>(p.solutions);
  const int64_t pair = 2 * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<double>()));
  const int64_t padded = RoundUp(p.columns, pair);
  double* const panel = scratch + p.rows * kMostColumns;
  // In the order in which rows are solved.
  const auto place = [&p](int64_t n) { return p.upper ? p.rows - 1 - n : n; };
  const auto factor = [&](int64_t n, int64_t k) {
    return static_cast<double>(matrix[place(n) * p.matrix_row + place(k) * p.matrix_column]);
  };
  const auto row_of = [&](int64_t n) { return scratch + place(n) * kMostColumns; };
  for (int64_t first = 0; first < p.rows; first += kRowsTogether) {
    const int64_t end = std::min(p.rows, first + kRowsTogether);
    double* rows[kRowsTogether];
    for (int64_t n = first; n < end; ++n) {
      double* const row = rows[n - first] = row_of(n);
      for (int64_t c = 0; c < p.columns; ++c) {
        row[c] = static_cast<double>(sides[place(n) * p.side_row + c * p.side_column]);
      }
      std::fill(row + p.columns, row + padded, 0.0);
    }
    const bool together = end - first == kRowsTogether;
    if (together) {
      for (int64_t r = 0; r < kRowsTogether; ++r) {
        for (int64_t k = 0; k < first; ++k) panel[k * kRowsTogether + r] = factor(first + r, k);
      }
      SubtractSolved(rows, panel, row_of(0), p.upper ? -kMostColumns : kMostColumns, first, padded);
    }
    for (int64_t n = first; n < end; ++n) {
      double* const row = rows[n - first];
      for (int64_t k = together ? first : 0; k < n; ++k) {
        AddTimes(row_of(k), -factor(n, k), p.columns, row);
      }
      const double divisor = p.unit_diagonal ? 1 : factor(n, n);
      for (int64_t c = 0; c < p.columns; ++c) {
        row[c] /= divisor;
        solutions[place(n) * p.solution_row + c * p.solution_column] = static_cast<T>(row[c]);
      }
    }
  }
}

Solve SolveOfDType(DType dtype) {
  return dtype == DType::kFloat32 ? &SolveTyped<float> : &SolveTyped<double>;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::triangular_solve
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::triangular_solve {

HWY_EXPORT(SolveOfDType);

Solve SolveOf(DType dtype) { return HWY_DYNAMIC_DISPATCH(SolveOfDType)(dtype); }

}  // namespace aclimb::triangular_solve
#endif
