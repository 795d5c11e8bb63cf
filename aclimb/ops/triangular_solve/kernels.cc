#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/triangular_solve/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

#include <algorithm>

#include "aclimb/ops/triangular_solve/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::triangular_solve {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// row -= factor * solved
HWY_INLINE void Subtract(double* row, double factor, const double* solved, int64_t columns) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factors = hn::Set(d, factor);
  int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    hn::StoreU(hn::NegMulAdd(factors, hn::LoadU(d, solved + c), hn::LoadU(d, row + c)), d, row + c);
  }
  for (; c < columns; ++c) row[c] -= factor * solved[c];
}

template <typename T>
void SolveTyped(const Problem& p, double* scratch) {
  const auto* const matrix = static_cast<const T*>(p.matrix);
  const auto* const sides = static_cast<const T*>(p.sides);
  auto* const solutions = static_cast<T*>(p.solutions);
  for (int64_t n = 0; n < p.rows; ++n) {
    const int64_t i = p.upper ? p.rows - 1 - n : n;
    double* const row = scratch + i * kMostColumns;
    for (int64_t c = 0; c < p.columns; ++c) {
      row[c] = static_cast<double>(sides[i * p.side_row + c * p.side_column]);
    }
    const T* const factors = matrix + i * p.matrix_row;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t j = p.upper ? p.rows - 1 - k : k;
      Subtract(row, static_cast<double>(factors[j * p.matrix_column]), scratch + j * kMostColumns,
               p.columns);
    }
    const double divisor = p.unit_diagonal ? 1 : static_cast<double>(factors[i * p.matrix_column]);
    for (int64_t c = 0; c < p.columns; ++c) {
      row[c] /= divisor;
      solutions[i * p.solution_row + c * p.solution_column] = static_cast<T>(row[c]);
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
