#include <algorithm>

#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/inverse/contract.h"
#include "aclimb/ops/inverse/kernels.h"
#include "aclimb/ops/inverse/plans.h"
#include "aclimb/rows/dense.h"

namespace aclimb::inverse {
namespace {

class DoublePlan final : public Plan {
 public:
  DoublePlan(const contract::Arguments& arguments, Planner& planner) {
    const TensorView self = arguments.Tensor(kSelf).View();
    rows_ = self.shape[self.rank - 1];
    batches_ = self.ElementCount() / (rows_ * rows_);
    self_ = rows::Dense::Input(planner, kSelf, self, DType::kFloat64);
    out_ = rows::Dense::Output(planner, kOut, arguments.Tensor(kOut).View(), DType::kFloat64);
    scratch_.Book(planner, batches_, BytesOfScratch(rows_));
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
        Invert(matrix, rows_, ScratchAt(at, rows_));
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

}  // namespace

PlanPointer MakeDoublePlan(const contract::Arguments& arguments, Planner& planner) {
  return NewPlan<DoublePlan>(arguments, planner);
}

}  // namespace aclimb::inverse
