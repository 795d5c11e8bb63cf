// aclnnInverse: the plan and the C entry points.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/inverse/contract.h"
#include "aclimb/ops/inverse/kernels.h"
#include "aclimb/rows/dense.h"

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
    const int64_t numbers = rows_ + kSteps * (rows_ + ApartOf(rows_));
    scratch_.Book(planner, batches_,
                  rows_ * int64_t{sizeof(int64_t)} + numbers * int64_t{sizeof(double)});
    planner.Costs({.cycles = Work() * static_cast<double>(batches_) / 4 + self_.CopyCycles() +
                             out_.CopyCycles()});
  }

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&self_, &out_}, [&] {
      const auto* const from = static_cast<const double*>(self_.Data(run));
      auto* const to = static_cast<double*>(out_.Data(run));
      const int64_t size = rows_ * rows_;
      return scratch_.Run(run, batches_, UnitsOfWork(kGrain, Work()), [&](int64_t batch, char* at) {
        double* const matrix = to + batch * size;
        if (from != to) std::copy_n(from + batch * size, size, matrix);
        auto* const sizes = reinterpret_cast<double*>(at + rows_ * int64_t{sizeof(int64_t)});
        double* const factors = sizes + rows_;
        Invert(matrix, rows_,
               {reinterpret_cast<int64_t*>(at), sizes, factors, factors + rows_ * kSteps});
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
  UnitScratch scratch_;
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
