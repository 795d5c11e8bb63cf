// aclnnTrace: the sum, the plan and the C entry points.

#include <algorithm>
#include <cstdint>

#include "aclimb/copy/copy.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/trace/contract.h"

namespace aclimb::trace {
namespace {

class TracePlan final : public Plan {
 public:
  TracePlan(const contract::Arguments& arguments, Planner& planner) {
    const TensorView self = arguments.Tensor(kSelf).View();
    count_ = std::min(self.shape[0], self.shape[1]);
    diagonal_ = planner.workspace().Book(count_, sizeof(double));
    planner.Reads(kSelf);
    planner.Writes(kOut);
    planner.Costs({.cycles = 4 * static_cast<double>(count_)});
  }

  void Run(const RunContext& run) const override {
    IsFloating(run.View(kSelf).dtype) ? Sum<double, double>(run, DType::kFloat64)
                                      : Sum<int64_t, uint64_t>(run, DType::kInt64);
  }

 private:
  // In S, which wraps where T is an integer.
  template <typename T, typename S>
  void Sum(const RunContext& run, DType dtype) const {
    TensorView diagonal = run.View(kSelf);
    diagonal.rank = 1;
    diagonal.shape[0] = count_;
    diagonal.stride[0] += diagonal.stride[1];
    TensorView dense = DenseLike(diagonal, run.Piece<T>(diagonal_));
    dense.dtype = dtype;
    if (!copy::Copy(diagonal, dense)) return;
    S sum = 0;
    for (int64_t i = 0; i < count_; ++i) sum += static_cast<S>(dense.As<T>()[i]);
    TensorView one = {.data = &sum, .dtype = dtype};
    // A cancelled run leaves out as it is.
    (void)copy::Copy(one, run.View(kOut));
  }

  int64_t count_;
  WorkspacePiece diagonal_;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  return PlanPointer(NewPlan<TracePlan>(arguments, planner));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::trace

extern "C" aclnnStatus aclnnTraceGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::trace::kOperator, workspaceSize, executor, self, out);
}

extern "C" aclnnStatus aclnnTrace(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(aclimb::trace::kOperator, workspace, workspaceSize, executor, stream);
}
