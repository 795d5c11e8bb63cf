// aclnnInverse: the plan and the C entry points.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/inverse/contract.h"
#include "aclimb/ops/inverse/kernels.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::inverse {
namespace {

// Multiplications that a thread takes at once, about.
constexpr double kGrain = 64 * 1024;

class InversePlan final : public Plan {
 public:
  InversePlan(const contract::Arguments& arguments, Planner& planner) {
    const TensorView self = arguments.Tensor(kSelf).View();
    rows_ = self.shape[self.rank - 1];
    batches_ = self.ElementCount() / (rows_ * rows_);
    self_ = rows::Dense::Input(planner, kSelf, self, DType::kFloat64);
    out_ = rows::Dense::Output(planner, kOut, arguments.Tensor(kOut).View(), DType::kFloat64);
    sizes_ = planner.workspace().Book(batches_ * rows_, sizeof(double));
    pivots_ = planner.workspace().Book(batches_ * rows_, sizeof(int64_t));
    planner.Costs({.cycles = Work() * static_cast<double>(batches_) / 4 + self_.CopyCycles() +
                             out_.CopyCycles()});
  }

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&self_, &out_}, [&] {
      const auto* const from = static_cast<const double*>(self_.Data(run));
      auto* const to = static_cast<double*>(out_.Data(run));
      const Scratch scratch = {run.Piece<int64_t>(pivots_), run.Piece<double>(sizes_)};
      const int64_t size = rows_ * rows_;
      return ParallelForAll(batches_, UnitsOfWork(kGrain, Work()), [&](int64_t begin, int64_t end) {
        for (int64_t batch = begin; batch < end; ++batch) {
          double* const matrix = to + batch * size;
          if (from != to) std::copy_n(from + batch * size, size, matrix);
          Invert(matrix, rows_, {scratch.pivots + batch * rows_, scratch.sizes + batch * rows_});
        }
      });
    });
  }

 private:
  double Work() const {
    const auto rows = static_cast<double>(rows_);
    return rows * rows * rows;
  }

  int64_t rows_, batches_;
  rows::Dense self_, out_;
  WorkspacePiece pivots_, sizes_;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<InversePlan>(arguments, planner));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::inverse

extern "C" aclnnStatus aclnnInverseGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::inverse::kOperator, workspaceSize, executor, self, out);
}

extern "C" aclnnStatus aclnnInverse(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::inverse::kOperator, workspace, workspaceSize, executor, stream);
}
