// aclnnLayerNorm, aclnnLayerNormWithImplMode and aclnnLayerNormBackward: the C entry points and the
// plans between them.

#include "aclimb/ops/norms/layer_norm.h"

#include "aclimb/executor/phase.h"
#include "aclimb/ops/norms/row_plans.h"

namespace aclimb::norms::layer_norm {
namespace {

Result<PlanPointer> PlanLayerNorm(const contract::Arguments& arguments, Planner& planner) {
  auto plan = NewPlan<NormalizePlan>();
  plan->SetRows(CountRows(arguments.Tensor(kInput), arguments.Ints(kNormalizedShape).size()));
  plan->problem.eps = arguments.Real(kEps);
  plan->x = InputOf(arguments, planner, kInput);
  plan->weight = FloatsOf(arguments, planner, kWeight);
  plan->bias = FloatsOf(arguments, planner, kBias);
  plan->out = OutputOf(arguments, planner, kOut);
  plan->mean = FloatsTo(arguments, planner, kMeanOut);
  plan->rstd = FloatsTo(arguments, planner, kRstdOut);
  return Finished(std::move(plan), planner);
}

Result<PlanPointer> PlanLayerNormBackward(const contract::Arguments& arguments, Planner& planner) {
  const BoolArrayValue& wanted = arguments.Bools(backward::kOutputMask);
  if (!wanted[0] && !wanted[1] && !wanted[2]) return PlanPointer();
  auto plan = NewPlan<RowGradientPlan>();
  SetRows(CountRows(arguments.Tensor(backward::kInput),
                    arguments.Ints(backward::kNormalizedShape).size()),
          *plan);
  plan->grad = InputOf(arguments, planner, backward::kGradOut);
  plan->x = InputOf(arguments, planner, backward::kInput);
  plan->mean = FloatsOf(arguments, planner, backward::kMean);
  plan->spread = FloatsOf(arguments, planner, backward::kRstd);
  if (wanted[0]) {
    plan->weight = FloatsOf(arguments, planner, backward::kWeight);
    plan->out = OutputOf(arguments, planner, backward::kGradInput);
  }
  if (wanted[1]) plan->weight_sums = FloatsTo(arguments, planner, backward::kGradWeight);
  if (wanted[2]) plan->bias_sums = FloatsTo(arguments, planner, backward::kGradBias);
  return Finished(std::move(plan), planner);
}

constinit Operator kOperator(kContract, PlanLayerNorm);
constinit Operator kWithImplModeOperator(kWithImplModeContract, PlanLayerNorm);
constinit Operator kBackwardOperator(backward::kContract, PlanLayerNormBackward);

}  // namespace
}  // namespace aclimb::norms::layer_norm

extern "C" aclnnStatus aclnnLayerNormGetWorkspaceSize(
    const aclTensor* input, const aclIntArray* normalizedShape, const aclTensor* weightOptional,
    const aclTensor* biasOptional, double eps, aclTensor* out, aclTensor* meanOutOptional,
    aclTensor* rstdOutOptional, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::layer_norm::kOperator, workspaceSize, executor, input,
                        normalizedShape, weightOptional, biasOptional, eps, out, meanOutOptional,
                        rstdOutOptional);
}

extern "C" aclnnStatus aclnnLayerNorm(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::layer_norm::kOperator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnLayerNormWithImplModeGetWorkspaceSize(
    const aclTensor* input, const aclIntArray* normalizedShape, const aclTensor* weightOptional,
    const aclTensor* biasOptional, double eps, aclTensor* out, aclTensor* meanOutOptional,
    aclTensor* rstdOutOptional, int32_t implMode, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::layer_norm::kWithImplModeOperator, workspaceSize, executor,
                        input, normalizedShape, weightOptional, biasOptional, eps, out,
                        meanOutOptional, rstdOutOptional, implMode);
}

extern "C" aclnnStatus aclnnLayerNormWithImplMode(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::layer_norm::kWithImplModeOperator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclIntArray* normalizedShape,
    const aclTensor* mean, const aclTensor* rstd, const aclTensor* weightOptional,
    const aclTensor* biasOptional, const aclBoolArray* outputMask, aclTensor* gradInputOut,
    aclTensor* gradWeightOut, aclTensor* gradBiasOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::layer_norm::kBackwardOperator, workspaceSize, executor,
                        gradOut, input, normalizedShape, mean, rstd, weightOptional, biasOptional,
                        outputMask, gradInputOut, gradWeightOut, gradBiasOut);
}

extern "C" aclnnStatus aclnnLayerNormBackward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::layer_norm::kBackwardOperator, workspace, workspaceSize,
                        executor, stream);
}
