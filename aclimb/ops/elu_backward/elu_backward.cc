// aclnnEluBackward: the C entry points and the plan between them.

#include <algorithm>
#include <iterator>
#include <memory>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/ops/elu_backward/cpu.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace aclimb::elu_backward {
namespace {

// The attributes, as float32 whatever the scalars' dtypes were. Needs no workspace.
struct EluBackwardPlan final : Plan {
  float alpha = 0;
  float scale = 0;
  float input_scale = 0;
  bool is_result = false;

  void Run(const RunContext& run) const override {
    RunOnCpu({.grad_output = run.View(kGradOutput),
              .self_or_result = run.View(kSelfOrResult),
              .grad_input = run.View(kGradInput),
              .alpha = alpha,
              .scale = scale,
              .input_scale = input_scale,
              .is_result = is_result});
  }
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kGradOutput).IsEmpty()) return PlanPointer();
  planner.Reads(kGradOutput);
  planner.Reads(kSelfOrResult);
  planner.Writes(kGradInput);
  // Elements that lie apart take longer, and are shared out in smaller pieces.
  const int tensors[] = {kGradOutput, kSelfOrResult, kGradInput};
  const bool dense = std::all_of(std::begin(tensors), std::end(tensors), [&](int parameter) {
    return arguments.Tensor(parameter).View().IsContiguous();
  });
  if (dense && arguments.Tensor(kGradOutput).ElementCount() <= kGrain) planner.NeedsNoTeam();
  auto plan = NewPlan<EluBackwardPlan>();
  plan->alpha = arguments.Scalar(kAlpha).ToFloat();
  plan->scale = arguments.Scalar(kScale).ToFloat();
  plan->input_scale = arguments.Scalar(kInputScale).ToFloat();
  plan->is_result = arguments.Bool(kIsResult);
  return PlanPointer(std::move(plan));
}

}  // namespace
}  // namespace aclimb::elu_backward

extern "C" aclnnStatus aclnnEluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclScalar* alpha, const aclScalar* scale,
    const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::elu_backward::kContract, aclimb::elu_backward::MakePlan,
                        workspaceSize, executor, gradOutput, alpha, scale, inputScale, isResult,
                        selfOrResult, gradInput);
}

extern "C" aclnnStatus aclnnEluBackward(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::elu_backward::kContract, workspace, workspaceSize, executor,
                        stream);
}
