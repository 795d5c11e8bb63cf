// aclnnEluBackward: the C entry points and the plan between them.

#include <algorithm>
#include <memory>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/ops/elu_backward/cpu.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace aclimb::elu_backward {
namespace {

// Needs no workspace.
struct EluBackwardPlan final : Plan {
  explicit EluBackwardPlan(const Problem& planned) : problem(planned) {}

  void Run(const RunContext& run) const override {
    RunOnCpu(problem, {.grad_output = run.Data(kGradOutput),
                       .self_or_result = run.Data(kSelfOrResult),
                       .grad_input = run.Data(kGradInput)});
  }

  const Problem problem;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kGradOutput).IsEmpty()) return PlanPointer();
  planner.Reads(kGradOutput);
  planner.Reads(kSelfOrResult);
  planner.Writes(kGradInput);
  const TensorView views[] = {arguments.Tensor(kGradOutput).View(),
                              arguments.Tensor(kSelfOrResult).View(),
                              arguments.Tensor(kGradInput).View()};
  // As float32 whatever the scalars' dtypes are.
  const Problem problem(views[0], views[1], views[2],
                        {.alpha = arguments.Scalar(kAlpha).ToFloat(),
                         .scale = arguments.Scalar(kScale).ToFloat(),
                         .input_scale = arguments.Scalar(kInputScale).ToFloat(),
                         .is_result = arguments.Bool(kIsResult)});
  // Elements that lie apart, or change their dtype, take longer.
  const bool dense = std::ranges::all_of(views, &TensorView::IsContiguous);
  const double cycles = dense || problem.IsDirect() ? 1.5 : 12;
  planner.Costs({.cycles = cycles * static_cast<double>(problem.walk.count)});
  return PlanPointer(NewPlan<EluBackwardPlan>(problem));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::elu_backward

extern "C" aclnnStatus aclnnEluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclScalar* alpha, const aclScalar* scale,
    const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::elu_backward::kOperator, workspaceSize, executor, gradOutput, alpha,
                        scale, inputScale, isResult, selfOrResult, gradInput);
}

extern "C" aclnnStatus aclnnEluBackward(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::elu_backward::kOperator, workspace, workspaceSize, executor,
                        stream);
}
