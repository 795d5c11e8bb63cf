#include "aclimb/ops/triangular_solve/plan.h"

#include <algorithm>

#include "aclimb/executor/unit_scratch.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::triangular_solve {

SolvePlan::SolvePlan(const contract::Arguments& arguments, Planner& planner)
    : self_(arguments.Tensor(kSelf).View()),
      a_(arguments.Tensor(kA).View()),
      x_(arguments.Tensor(kX).View()),
      m_(arguments.Tensor(kM).View()),
      upper_(arguments.Bool(kUpper)),
      transpose_(arguments.Bool(kTranspose)),
      unit_diagonal_(arguments.Bool(kUnitriangular)),
      rows_(x_.shape[x_.rank - 2]),
      columns_(x_.shape[x_.rank - 1]) {
  for (int d = 0; d < x_.rank - 2; ++d) batches_ *= x_.shape[d];
  planner.Reads(kSelf);
  planner.Reads(kA);
  planner.Writes(kX);
  planner.Writes(kM);
}

double SolvePlan::Work(int64_t columns) const {
  const auto rows = static_cast<double>(rows_);
  return std::max(1.0, rows * rows * static_cast<double>(columns) / 2);
}

int64_t SolvePlan::OffsetOf(const TensorView& view, int64_t batch) const {
  const int missing = x_.rank - view.rank;
  int64_t offset = 0;
  for (int d = x_.rank - 3; d >= missing; --d) {
    // What broadcasts has one matrix.
    if (view.shape[d - missing] != 1) offset += batch % x_.shape[d] * view.stride[d - missing];
    batch /= x_.shape[d];
  }
  return offset * static_cast<int64_t>(SizeOf(view.dtype));
}

void SolvePlan::Run(const RunContext& run) const {
  if (!Solve(run)) return;
  const auto length = static_cast<double>(rows_);
  ParallelFor(batches_ * rows_, UnitsOfWork(kGrain, length), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      x_.dtype == DType::kFloat32 ? CopyLine<float>(run, line) : CopyLine<double>(run, line);
    }
  });
}

// A row of the triangle.
template <typename T>
void SolvePlan::CopyLine(const RunContext& run, int64_t line) const {
  const int64_t row = line % rows_, batch = line / rows_;
  const T* const from = reinterpret_cast<const T*>(At(run, kA, a_, batch)) + row * RowStride(a_);
  T* const to = reinterpret_cast<T*>(At(run, kM, m_, batch)) + row * RowStride(m_);
  const int64_t begin = upper_ ? row : 0, end = upper_ ? rows_ : row + 1;
  if (ColumnStride(a_) == 1 && ColumnStride(m_) == 1) {
    std::fill(to, to + begin, T{0});
    std::copy(from + begin, from + end, to + begin);
    std::fill(to + end, to + rows_, T{0});
    return;
  }
  for (int64_t c = 0; c < rows_; ++c) {
    to[c * ColumnStride(m_)] = c >= begin && c < end ? from[c * ColumnStride(a_)] : T{0};
  }
}

}  // namespace aclimb::triangular_solve
