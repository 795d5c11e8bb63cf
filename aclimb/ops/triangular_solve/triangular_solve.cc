// aclnnTriangularSolve: the C entry points and the plan between them.

#include <algorithm>
#include <utility>

#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/triangular_solve/contract.h"
#include "aclimb/ops/triangular_solve/kernels.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/team.h"

namespace aclimb::triangular_solve {
namespace {

// Multiplications that a thread takes at once, about.
constexpr double kGrain = 64 * 1024;

// The strides of a view before its matrices, for the batch of an output; what broadcasts has 0.
struct Batch {
  int64_t stride[kMaxRank] = {};

  Batch(const TensorView& view, const TensorView& out) {
    const int missing = out.rank - view.rank;
    for (int d = missing; d < out.rank - 2; ++d) {
      stride[d] = view.shape[d - missing] == 1 ? 0 : view.stride[d - missing];
    }
  }
};

class SolvePlan final : public Plan {
 public:
  SolvePlan(const contract::Arguments& arguments, Planner& planner)
      : self_(arguments.Tensor(kSelf).View()),
        a_(arguments.Tensor(kA).View()),
        x_(arguments.Tensor(kX).View()),
        m_(arguments.Tensor(kM).View()),
        upper_(arguments.Bool(kUpper)),
        transpose_(arguments.Bool(kTranspose)),
        unit_diagonal_(arguments.Bool(kUnitriangular)),
        solve_(SolveOf(x_.dtype)) {
    rows_ = x_.shape[x_.rank - 2];
    columns_ = x_.shape[x_.rank - 1];
    for (int d = 0; d < x_.rank - 2; ++d) batches_ *= x_.shape[d];
    parts_ = CeilDivide(columns_, kMostColumns);
    scratch_.Book(planner, batches_ * parts_,
                  rows_ * (kMostColumns + kRowsTogether) * static_cast<int64_t>(sizeof(double)));
    planner.Costs({.cycles = Work() * static_cast<double>(batches_ * parts_) / 4});
  }

  double Flops() const override {
    const auto rows = static_cast<double>(rows_);
    return rows * rows * static_cast<double>(columns_) * static_cast<double>(batches_);
  }

  void Run(const RunContext& run) const override {
    const bool solved =
        scratch_.Run(run, batches_ * parts_, UnitsOfWork(kGrain, Work()),
                     [&](int64_t unit, char* scratch) { SolvePart(run, unit, scratch); });
    if (!solved) return;
    const auto lines = static_cast<double>(rows_);
    ParallelFor(batches_ * rows_, UnitsOfWork(kGrain, lines), [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        x_.dtype == DType::kFloat32 ? CopyLine<float>(run, line) : CopyLine<double>(run, line);
      }
    });
  }

 private:
  double Work() const {
    const auto rows = static_cast<double>(rows_);
    return std::max(1.0, rows * rows * static_cast<double>(std::min(columns_, kMostColumns)) / 2);
  }

  // The matrix of a batch, of a tensor as it lies in memory.
  char* At(const RunContext& run, int parameter, const TensorView& view, int64_t batch) const {
    const Batch of(view, x_);
    int64_t offset = 0;
    for (int d = x_.rank - 3; d >= 0; --d) {
      offset += batch % x_.shape[d] * of.stride[d];
      batch /= x_.shape[d];
    }
    return static_cast<char*>(run.Data(parameter)) +
           offset * static_cast<int64_t>(SizeOf(view.dtype));
  }

  void SolvePart(const RunContext& run, int64_t unit, char* scratch) const {
    const auto size = static_cast<int64_t>(SizeOf(x_.dtype));
    const int64_t batch = unit / parts_, first = unit % parts_ * kMostColumns;
    const auto row = [](const TensorView& view) { return view.stride[view.rank - 2]; };
    const auto column = [](const TensorView& view) { return view.stride[view.rank - 1]; };
    Problem problem = {.matrix = At(run, kA, a_, batch),
                       .sides = At(run, kSelf, self_, batch) + first * column(self_) * size,
                       .solutions = At(run, kX, x_, batch) + first * column(x_) * size,
                       .rows = rows_,
                       .columns = std::min(kMostColumns, columns_ - first),
                       .matrix_row = row(a_),
                       .matrix_column = column(a_),
                       .side_row = row(self_),
                       .side_column = column(self_),
                       .solution_row = row(x_),
                       .solution_column = column(x_),
                       .upper = upper_ != transpose_,
                       .unit_diagonal = unit_diagonal_};
    if (transpose_) std::swap(problem.matrix_row, problem.matrix_column);
    solve_(problem, reinterpret_cast<double*>(scratch));
  }

  // A row of the triangle.
  template <typename T>
  void CopyLine(const RunContext& run, int64_t line) const {
    const int64_t row = line % rows_;
    const T* const from =
        reinterpret_cast<const T*>(At(run, kA, a_, line / rows_)) + row * a_.stride[a_.rank - 2];
    T* const to =
        reinterpret_cast<T*>(At(run, kM, m_, line / rows_)) + row * m_.stride[m_.rank - 2];
    const int64_t from_step = a_.stride[a_.rank - 1], to_step = m_.stride[m_.rank - 1];
    for (int64_t c = 0; c < rows_; ++c) {
      const bool counts = upper_ ? c >= row : c <= row;
      to[c * to_step] = counts ? from[c * from_step] : T{0};
    }
  }

  const TensorView self_, a_, x_, m_;
  const bool upper_, transpose_, unit_diagonal_;
  const Solve solve_;
  int64_t rows_ = 0, columns_ = 0, batches_ = 1, parts_ = 0;
  UnitScratch scratch_;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kM).IsEmpty()) return PlanPointer();
  planner.Reads(kSelf);
  planner.Reads(kA);
  planner.Writes(kX);
  planner.Writes(kM);
  return PlanPointer(NewPlan<SolvePlan>(arguments, planner));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::triangular_solve

extern "C" aclnnStatus aclnnTriangularSolveGetWorkspaceSize(
    const aclTensor* self, const aclTensor* A, bool upper, bool transpose, bool unitriangular,
    aclTensor* xOut, aclTensor* mOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::triangular_solve::kOperator, workspaceSize, executor, self, A,
                        upper, transpose, unitriangular, xOut, mOut);
}

extern "C" aclnnStatus aclnnTriangularSolve(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::triangular_solve::kOperator, workspace, workspaceSize, executor,
                        stream);
}
