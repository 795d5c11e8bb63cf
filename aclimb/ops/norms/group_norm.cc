// aclnnGroupNorm and aclnnGroupNormBackward: the C entry points and the plans between them.

#include "aclimb/ops/norms/group_norm.h"

#include "aclimb/executor/phase.h"
#include "aclimb/ops/norms/channels.h"
#include "aclimb/ops/norms/row_plans.h"

namespace aclimb::norms {
namespace {

Result<PlanPointer> PlanGroupNorm(const contract::Arguments& arguments, Planner& planner) {
  using namespace group_norm;  // NOLINT: its positions
  const int64_t groups = arguments.Integer(kGroup), hxw = arguments.Integer(kHxW);
  auto plan = NewPlan<NormalizePlan>();
  plan->SetRows(
      {.rows = arguments.Integer(kN) * groups, .length = arguments.Integer(kC) / groups * hxw});
  plan->problem.run = std::max<int64_t>(1, hxw);
  plan->problem.sets = groups;
  plan->problem.eps = arguments.Real(kEps);
  plan->x = InputOf(arguments, planner, kSelf);
  plan->weight = FloatsOf(arguments, planner, kGamma);
  plan->bias = FloatsOf(arguments, planner, kBeta);
  plan->out = OutputOf(arguments, planner, kOut);
  plan->mean = FloatsTo(arguments, planner, kMeanOut);
  plan->rstd = FloatsTo(arguments, planner, kRstdOut);
  return Finished(std::move(plan), planner);
}

using GroupGradientPlan = GradientPlan<GroupGradient, &GroupGradient::rstd>;

Result<PlanPointer> PlanGroupNormBackward(const contract::Arguments& arguments, Planner& planner) {
  using namespace group_norm_backward;  // NOLINT: its positions
  const BoolArrayValue& wanted = arguments.Bools(kOutputMask);
  if (!wanted[0] && !wanted[1] && !wanted[2]) return PlanPointer();
  auto plan = NewPlan<GroupGradientPlan>();
  GroupGradient& problem = plan->problem;
  problem.planes = {.outer = arguments.Integer(kN),
                    .channels = arguments.Integer(kC),
                    .inner = arguments.Integer(kHxW)};
  problem.groups = arguments.Integer(kGroup);
  plan->grad = InputOf(arguments, planner, kGradOut);
  plan->x = InputOf(arguments, planner, kInput);
  plan->mean = FloatsOf(arguments, planner, kMean);
  plan->spread = FloatsOf(arguments, planner, kRstd);
  if (wanted[0]) {
    plan->weight = FloatsOf(arguments, planner, kGamma);
    plan->out = OutputOf(arguments, planner, kGradInput);
  }
  if (wanted[1]) plan->weight_sums = FloatsTo(arguments, planner, kGradGamma);
  if (wanted[2]) plan->bias_sums = FloatsTo(arguments, planner, kGradBeta);
  plan->scratch = planner.workspace().Book(GroupScratch(problem.planes));
  planner.Costs({.cycles = kChannelCycles * static_cast<double>(problem.planes.ElementCount()) +
                           plan->grad.CopyCycles() + plan->x.CopyCycles() +
                           plan->out.CopyCycles()});
  return PlanPointer(std::move(plan));
}

constinit Operator kGroupNorm(group_norm::kContract, PlanGroupNorm);
constinit Operator kGroupNormBackward(group_norm_backward::kContract, PlanGroupNormBackward);

}  // namespace
}  // namespace aclimb::norms

extern "C" aclnnStatus aclnnGroupNormGetWorkspaceSize(const aclTensor* self, const aclTensor* gamma,
                                                      const aclTensor* beta, int64_t N, int64_t C,
                                                      int64_t HxW, int64_t group, double eps,
                                                      aclTensor* out, aclTensor* meanOut,
                                                      aclTensor* rstdOut, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::kGroupNorm, workspaceSize, executor, self, gamma, beta, N, C,
                        HxW, group, eps, out, meanOut, rstdOut);
}

extern "C" aclnnStatus aclnnGroupNorm(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::kGroupNorm, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnGroupNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclTensor* mean, const aclTensor* rstd,
    const aclTensor* gamma, int64_t N, int64_t C, int64_t HxW, int64_t group,
    const aclBoolArray* outputMask, aclTensor* gradInput, aclTensor* gradGammaOut,
    aclTensor* gradBetaOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::kGroupNormBackward, workspaceSize, executor, gradOut, input,
                        mean, rstd, gamma, N, C, HxW, group, outputMask, gradInput, gradGammaOut,
                        gradBetaOut);
}

extern "C" aclnnStatus aclnnGroupNormBackward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, const aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::kGroupNormBackward, workspace, workspaceSize, executor,
                        stream);
}
