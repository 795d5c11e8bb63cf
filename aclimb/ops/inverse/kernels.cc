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

HWY_BEFORE_NAMESPACE();
namespace aclimb::inverse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// row -= factor * other
HWY_INLINE void Subtract(double* HWY_RESTRICT row, double factor, const double* HWY_RESTRICT other,
                         int64_t count) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factors = hn::Set(d, factor);
  int64_t c = 0;
  for (; c + lanes <= count; c += lanes) {
    hn::StoreU(hn::NegMulAdd(factors, hn::LoadU(d, other + c), hn::LoadU(d, row + c)), d, row + c);
  }
  for (; c < count; ++c) row[c] -= factor * other[c];
}

// Where the column's largest element stands, from row `first` on.
int64_t Largest(const double* matrix, int64_t rows, int64_t column, int64_t first) {
  int64_t best = first;
  for (int64_t r = first + 1; r < rows; ++r) {
    if (std::fabs(matrix[r * rows + column]) > std::fabs(matrix[best * rows + column])) best = r;
  }
  return best;
}

// The sum of the products of what the row's elements and the factors are without their signs.
double SumOf(const double* row, const double* factors, int64_t count) {
  double sum = 0;
  for (int64_t c = 0; c < count; ++c) sum += std::fabs(row[c]) * (factors ? factors[c] : 1);
  return sum;
}

// Gauss and Jordan's way: step by step a column of the matrix becomes one of the inverse. Rows
// that change places on the way are columns of the inverse that change back at the end.
void InvertOne(double* matrix, int64_t rows, const Scratch& scratch) {
  const auto& [pivots, sizes] = scratch;
  for (int64_t r = 0; r < rows; ++r) sizes[r] = SumOf(matrix + r * rows, nullptr, rows);
  for (int64_t k = 0; k < rows; ++k) {
    double* const row = matrix + k * rows;
    pivots[k] = Largest(matrix, rows, k, k);
    if (pivots[k] != k) std::swap_ranges(row, row + rows, matrix + pivots[k] * rows);
    const double pivot = row[k];
    row[k] = 1;
    for (int64_t c = 0; c < rows; ++c) row[c] /= pivot;
    for (int64_t r = 0; r < rows; ++r) {
      if (r == k) continue;
      double* const other = matrix + r * rows;
      const double factor = other[k];
      other[k] = 0;
      Subtract(other, factor, row, rows);
    }
  }
  for (int64_t k = rows - 1; k >= 0; --k) {
    if (pivots[k] == k) continue;
    for (int64_t r = 0; r < rows; ++r) {
      std::swap(matrix[r * rows + k], matrix[r * rows + pivots[k]]);
    }
  }
  for (int64_t r = 0; r < rows; ++r) {
    if (SumOf(matrix + r * rows, sizes, rows) <= kMostCondition) continue;
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
