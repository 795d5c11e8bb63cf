// aclnnRmsNorm, aclnnRmsNormGrad, aclnnAddRmsNorm and aclnnAddLayerNorm: the C entry points and the
// plans between them.

#include "aclimb/ops/norms/rms_norm.h"

#include "aclimb/executor/phase.h"
#include "aclimb/ops/norms/row_plans.h"

namespace aclimb::norms {
namespace {

// Rows of `x` with the dimensions that `gamma` has.
RowCounts CountRowsOf(const contract::Arguments& arguments, int x, int gamma) {
  return CountRows(arguments.Tensor(x), arguments.Tensor(gamma).shape.size());
}

Result<PlanPointer> MakeRmsNormPlan(const contract::Arguments& arguments, Planner& planner) {
  using namespace rms_norm;  // NOLINT: its positions
  auto plan = NewPlan<NormalizePlan>();
  plan->SetRows(CountRowsOf(arguments, kX, kGamma));
  plan->problem.centered = false;
  plan->problem.eps = arguments.Real(kEpsilon);
  plan->x = InputOf(arguments, planner, kX);
  plan->weight = FloatsOf(arguments, planner, kGamma);
  plan->out = OutputOf(arguments, planner, kY);
  plan->rstd = FloatsTo(arguments, planner, kRstd);
  return Finished(std::move(plan), planner);
}

Result<PlanPointer> MakeRmsNormGradPlan(const contract::Arguments& arguments, Planner& planner) {
  using namespace rms_norm_grad;  // NOLINT: its positions
  auto plan = NewPlan<RowGradientPlan>();
  SetRows(CountRowsOf(arguments, kX, kGamma), *plan);
  plan->grad = InputOf(arguments, planner, kDy);
  plan->x = InputOf(arguments, planner, kX);
  plan->spread = FloatsOf(arguments, planner, kRstd);
  plan->weight = FloatsOf(arguments, planner, kGamma);
  plan->out = OutputOf(arguments, planner, kDx);
  plan->weight_sums = FloatsTo(arguments, planner, kDgamma);
  return Finished(std::move(plan), planner);
}

Result<PlanPointer> MakeAddRmsNormPlan(const contract::Arguments& arguments, Planner& planner) {
  using namespace add_rms_norm;  // NOLINT: its positions
  auto plan = NewPlan<NormalizePlan>();
  plan->SetRows(CountRowsOf(arguments, kX1, kGamma));
  plan->problem.centered = false;
  plan->problem.eps = arguments.Real(kEpsilon);
  plan->x = InputOf(arguments, planner, kX1);
  plan->x2 = InputOf(arguments, planner, kX2);
  plan->weight = FloatsOf(arguments, planner, kGamma);
  plan->out = OutputOf(arguments, planner, kY);
  plan->rstd = FloatsTo(arguments, planner, kRstd);
  plan->sum = OutputOf(arguments, planner, kX);
  return Finished(std::move(plan), planner);
}

Result<PlanPointer> MakeAddLayerNormPlan(const contract::Arguments& arguments, Planner& planner) {
  using namespace add_layer_norm;  // NOLINT: its positions
  auto plan = NewPlan<NormalizePlan>();
  plan->SetRows(CountRowsOf(arguments, kX1, kGamma));
  plan->problem.eps = arguments.Real(kEpsilon);
  plan->x = InputOf(arguments, planner, kX1);
  plan->x2 = InputOf(arguments, planner, kX2);
  plan->addend = FloatsOf(arguments, planner, kBias);
  if (plan->addend.given() &&
      arguments.Tensor(kBias).shape.size() != arguments.Tensor(kGamma).shape.size()) {
    plan->problem.addend_step = plan->problem.length;
  }
  plan->weight = FloatsOf(arguments, planner, kGamma);
  plan->bias = FloatsOf(arguments, planner, kBeta);
  plan->out = OutputOf(arguments, planner, kY);
  plan->mean = FloatsTo(arguments, planner, kMean);
  plan->rstd = FloatsTo(arguments, planner, kRstd);
  if (arguments.Bool(kAdditionalOutput)) plan->sum = OutputOf(arguments, planner, kX);
  return Finished(std::move(plan), planner);
}

constinit Operator kRmsNorm(rms_norm::kContract, MakeRmsNormPlan);
constinit Operator kRmsNormGrad(rms_norm_grad::kContract, MakeRmsNormGradPlan);
constinit Operator kAddRmsNorm(add_rms_norm::kContract, MakeAddRmsNormPlan);
constinit Operator kAddLayerNorm(add_layer_norm::kContract, MakeAddLayerNormPlan);

}  // namespace
}  // namespace aclimb::norms

extern "C" aclnnStatus aclnnRmsNormGetWorkspaceSize(const aclTensor* x, const aclTensor* gamma,
                                                    double epsilon, const aclTensor* yOut,
                                                    const aclTensor* rstdOut,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::kRmsNorm, workspaceSize, executor, x, gamma, epsilon, yOut,
                        rstdOut);
}

extern "C" aclnnStatus aclnnRmsNorm(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::kRmsNorm, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnRmsNormGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* x, const aclTensor* rstd, const aclTensor* gamma,
    const aclTensor* dxOut, const aclTensor* dgammaOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::kRmsNormGrad, workspaceSize, executor, dy, x, rstd, gamma,
                        dxOut, dgammaOut);
}

extern "C" aclnnStatus aclnnRmsNormGrad(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::kRmsNormGrad, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnAddRmsNormGetWorkspaceSize(
    const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma, double epsilonOptional,
    const aclTensor* yOut, const aclTensor* rstdOut, const aclTensor* xOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::kAddRmsNorm, workspaceSize, executor, x1, x2, gamma,
                        epsilonOptional, yOut, rstdOut, xOut);
}

extern "C" aclnnStatus aclnnAddRmsNorm(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::kAddRmsNorm, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnAddLayerNormGetWorkspaceSize(
    const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma, const aclTensor* beta,
    const aclTensor* biasOptional, double epsilon, bool additionalOutput, const aclTensor* yOut,
    const aclTensor* meanOut, const aclTensor* rstdOut, const aclTensor* xOut,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::kAddLayerNorm, workspaceSize, executor, x1, x2, gamma, beta,
                        biasOptional, epsilon, additionalOutput, yOut, meanOut, rstdOut, xOut);
}

extern "C" aclnnStatus aclnnAddLayerNorm(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::kAddLayerNorm, workspace, workspaceSize, executor, stream);
}
