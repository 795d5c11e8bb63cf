#include <algorithm>
#include <utility>

#include "aclimb/core/divide.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/triangular_solve/kernels.h"
#include "aclimb/ops/triangular_solve/plan.h"

namespace aclimb::triangular_solve {
namespace {

class DoublePlan final : public SolvePlan {
 public:
  DoublePlan(const contract::Arguments& arguments, Planner& planner)
      : SolvePlan(arguments, planner), solve_(SolveOf(x_.dtype)) {
    parts_ = CeilDivide(columns_, kMostColumns);
    unit_work_ = Work(std::min(columns_, kMostColumns));
    scratch_.Book(planner, batches_ * parts_,
                  rows_ * (kMostColumns + kRowsTogether) * static_cast<int64_t>(sizeof(double)));
    planner.Costs({.cycles = unit_work_ * static_cast<double>(batches_ * parts_) / 4});
  }

 private:
  bool Solve(const RunContext& run) const override {
    return scratch_.Run(run, batches_ * parts_, UnitsOfWork(kGrain, unit_work_),
                        [&](int64_t unit, char* scratch) { SolvePart(run, unit, scratch); });
  }

  void SolvePart(const RunContext& run, int64_t unit, char* scratch) const {
    const auto size = static_cast<int64_t>(SizeOf(x_.dtype));
    const int64_t batch = unit / parts_, first = unit % parts_ * kMostColumns;
    Problem problem = {.matrix = At(run, kA, a_, batch),
                       .sides = At(run, kSelf, self_, batch) + first * ColumnStride(self_) * size,
                       .solutions = At(run, kX, x_, batch) + first * ColumnStride(x_) * size,
                       .rows = rows_,
                       .columns = std::min(kMostColumns, columns_ - first),
                       .matrix_row = RowStride(a_),
                       .matrix_column = ColumnStride(a_),
                       .side_row = RowStride(self_),
                       .side_column = ColumnStride(self_),
                       .solution_row = RowStride(x_),
                       .solution_column = ColumnStride(x_),
                       .upper = upper_ != transpose_,
                       .unit_diagonal = unit_diagonal_};
    if (transpose_) std::swap(problem.matrix_row, problem.matrix_column);
    solve_(problem, reinterpret_cast<double*>(scratch));
  }

  const triangular_solve::Solve solve_;
  int64_t parts_ = 0;
  double unit_work_ = 1;
  UnitScratch scratch_;
};

}  // namespace

PlanPointer MakeDoublePlan(const contract::Arguments& arguments, Planner& planner) {
  return NewPlan<DoublePlan>(arguments, planner);
}

}  // namespace aclimb::triangular_solve
