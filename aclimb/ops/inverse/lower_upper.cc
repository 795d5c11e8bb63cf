#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/inverse/lower_upper.cc"
// Rows have room for vectors of 16 elements at most behind them.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclimb/matmul/panels.h"
#include "aclimb/matmul/triangle.h"
#include "aclimb/ops/inverse/lower_upper.h"
#include "aclimb/ops/inverse/plans.h"
#include "aclimb/ops/inverse/sums-inl.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::inverse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::Transpose;

// The largest element of a column without its sign, from row `first` on.
int64_t LargestOf(const float* column, int64_t first, int64_t rows) {
  int64_t best = first;
  float largest = std::fabs(column[first]);
  for (int64_t r = first + 1; r < rows; ++r) {
    const float size = std::fabs(column[r]);
    if (!(size > largest)) continue;
    largest = size;
    best = r;
  }
  return best;
}

// From column k of those in scratch, what those before it change. Their products are added first,
// so that a large element takes one rounding of its size.
void SubtractColumns(const LowerUpper& m, int64_t k, int64_t rows) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  float* const last = m.columns + k * m.row;
  for (int64_t r = 1; r < k; ++r) {
    float sum = 0;
    for (int64_t c = 0; c < r; ++c) sum += m.columns[c * m.row + r] * last[c];
    last[r] -= sum;
  }
  for (int64_t r = k; r < rows; r += lanes) {
    auto sum = hn::Zero(d);
    for (int64_t c = 0; c < k; ++c) {
      sum = hn::MulAdd(hn::Set(d, last[c]), hn::LoadU(d, m.columns + c * m.row + r), sum);
    }
    hn::StoreU(hn::Sub(hn::LoadU(d, last + r), sum), d, last + r);
  }
}

// Columns [begin, end), few of them, whose rows above `begin` are done. Meanwhile they lie one
// after the other.
void FactorizeColumns(const LowerUpper& m, int64_t begin, int64_t end) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t rows = m.rows - begin, count = end - begin;
  float* const corner = m.matrix + begin * m.row + begin;
  const auto column = [&m](int64_t c) { return m.columns + c * m.row; };
  Transpose(corner, m.row, rows, count, m.columns, m.row);
  for (int64_t k = 0; k < count; ++k) {
    float* const last = column(k);
    SubtractColumns(m, k, rows);
    const int64_t best = LargestOf(last, k, rows);
    m.pivots[begin + k] = begin + best;
    if (best != k) {
      for (int64_t c = 0; c < count; ++c) std::swap(column(c)[k], column(c)[best]);
    }
    const auto pivot = hn::Set(d, last[k]);
    for (int64_t r = k + 1; r < rows; r += lanes) {
      hn::StoreU(hn::Div(hn::LoadU(d, last + r), pivot), d, last + r);
    }
  }
  Transpose(m.columns, m.row, count, rows, corner, m.row);
}

float SumOfRow(const float* row, const float* factors, int64_t count) {
  return SumOfSizes(row, factors, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::inverse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::inverse {

HWY_EXPORT(FactorizeColumns);
HWY_EXPORT(SumOfRow);

namespace {

class Factorization {
 public:
  Factorization(const RunContext& run, const LowerUpper& matrix, const UnitScratch& scratch)
      : run_(run), m_(matrix), scratch_(scratch) {}

  // Columns [begin, end): the first half of them, then what that changes of the others, and these.
  bool Columns(int64_t begin, int64_t end) const {
    if (end - begin <= kFewColumns) {
      HWY_DYNAMIC_DISPATCH(FactorizeColumns)(m_, begin, end);
      SwapOthers(begin, end);
      return true;
    }
    const int64_t middle = begin + RoundUp((end - begin) / 2, kFewColumns);
    return Columns(begin, middle) && Update(begin, middle, end) && Columns(middle, end);
  }

 private:
  float* At(int64_t row, int64_t column) const { return m_.matrix + row * m_.row + column; }

  // The rows' elements beside columns [begin, end) change places too.
  void SwapOthers(int64_t begin, int64_t end) const {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t other = m_.pivots[k];
      if (other == k) continue;
      std::swap_ranges(At(k, 0), At(k, begin), At(other, 0));
      std::swap_ranges(At(k, end), At(k, m_.rows), At(other, end));
    }
  }

  // Columns [middle, end) by those [begin, middle), which are done.
  bool Update(int64_t begin, int64_t middle, int64_t end) const {
    const matmul::PanelCut cut(end - middle, kernels_);
    const int64_t terms = middle - begin;
    const double work = static_cast<double>(terms) * static_cast<double>(m_.rows - begin) *
                        static_cast<double>(kernels_.columns);
    return scratch_.Run(run_, cut.Panels(), UnitsOfWork(kGrain, work), [&](int64_t p, char* at) {
      auto* const panel = reinterpret_cast<float*>(at);
      const int64_t column = middle + cut.Begin(p), columns = cut.Length(p);
      const int64_t width = RoundUp(columns, kernels_.lanes);
      const matmul::SidePanel sides = {.panel = panel,
                                       .columns = columns,
                                       .from = At(begin, column),
                                       .from_row = m_.row,
                                       .to = At(begin, column),
                                       .to_row = m_.row};
      matmul::SolveTriangle({.matrix = At(begin, begin),
                             .row = m_.row,
                             .rows = terms,
                             .upper = false,
                             .unit_diagonal = true},
                            0, {&sides, 1});
      for (int64_t k = 0; k < terms; k += matmul::kPanelTerms) {
        kernels_.multiply(At(middle, begin + k), m_.row, m_.rows - middle, panel + k * width, width,
                          std::min(matmul::kPanelTerms, terms - k), columns, true,
                          At(middle, column), m_.row, {}, nullptr);
      }
    });
  }

  // Columns that are taken one by one.
  static constexpr int64_t kFewColumns = 8;

  const RunContext& run_;
  const LowerUpper& m_;
  const UnitScratch& scratch_;
  const matmul::PanelKernels& kernels_ = matmul::PanelKernelsFor(DType::kFloat32, false);
};

}  // namespace

bool Factorize(const RunContext& run, const LowerUpper& matrix, const UnitScratch& scratch) {
  return Factorization(run, matrix, scratch).Columns(0, matrix.rows);
}

float SumOfSizes(const float* row, const float* factors, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(SumOfRow)(row, factors, count);
}

}  // namespace aclimb::inverse
#endif
