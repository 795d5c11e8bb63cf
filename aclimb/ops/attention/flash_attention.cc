// aclnnFlashAttentionScore and aclnnFlashAttentionScoreGrad: the C entry points and the plans.

#include <utility>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/attention/backward.h"
#include "aclimb/ops/attention/flash_attention_contract.h"
#include "aclimb/ops/attention/forward.h"
#include "aclimb/ops/attention/planning.h"

namespace aclimb::attention {
namespace {

Result<PlanPointer> MakeScorePlan(const contract::Arguments& arguments, Planner& planner) {
  using namespace flash_attention_score;  // NOLINT: its positions
  Problem problem = ProblemOf(arguments, kPlaces);
  if (problem.batch == 0 || problem.queries == 0) return PlanPointer();
  problem.scale = arguments.Real(kScaleValue);
  problem.bias_factor = problem.scale;
  problem.keep = arguments.Real(kKeepProb);
  Forward forward;
  forward.problem = problem;
  forward.query = MatricesOf(arguments, planner, kPlaces, kQuery, problem.heads);
  forward.key = MatricesOf(arguments, planner, kPlaces, kKey, problem.key_heads);
  forward.value = MatricesOf(arguments, planner, kPlaces, kValue, problem.key_heads);
  forward.bias = WeightsOf(arguments, planner, kRealShift);
  if (!HasPatternMask(arguments.Integer(kSparseMode))) {
    forward.mask = WeightsOf(arguments, planner, kAttenMask);
  }
  if (problem.keep < 1) {
    forward.kept = rows::Dense::Input(planner, kDropMask, arguments.Tensor(kDropMask).View());
  }
  forward.out = MatricesTo(arguments, planner, kPlaces, kAttentionOut, problem.heads);
  forward.max = FloatsTo(arguments, planner, kSoftmaxMax);
  forward.sum = FloatsTo(arguments, planner, kSoftmaxSum);
  forward.repeats = 8;
  return MakeForwardPlan(planner, std::move(forward));
}

Result<PlanPointer> MakeGradPlan(const contract::Arguments& arguments, Planner& planner) {
  using namespace flash_attention_score_grad;  // NOLINT: its positions
  Problem problem = ProblemOf(arguments, kPlaces);
  if (problem.batch == 0) return PlanPointer();
  problem.scale = arguments.Real(kScaleValue);
  problem.bias_factor = problem.scale;
  problem.keep = arguments.Real(kKeepProb);
  Backward backward;
  backward.problem = problem;
  const auto matrices = [&](int place, int64_t heads) {
    return MatricesOf(arguments, planner, kPlaces, place, heads);
  };
  const auto results = [&](int place, int64_t heads) {
    return MatricesTo(arguments, planner, kPlaces, place, heads);
  };
  backward.query = matrices(kQuery, problem.heads);
  backward.key = matrices(kKey, problem.key_heads);
  backward.value = matrices(kValue, problem.key_heads);
  backward.grad = matrices(kDy, problem.heads);
  backward.result = matrices(kAttentionIn, problem.heads);
  backward.bias = WeightsOf(arguments, planner, kPseShift);
  if (!HasPatternMask(arguments.Integer(kSparseMode))) {
    backward.mask = WeightsOf(arguments, planner, kAttenMask);
  }
  if (problem.keep < 1) {
    backward.kept = rows::Dense::Input(planner, kDropMask, arguments.Tensor(kDropMask).View());
  }
  backward.max = FloatsOf(arguments, planner, kSoftmaxMax);
  backward.sum = FloatsOf(arguments, planner, kSoftmaxSum);
  backward.repeats = 8;
  backward.query_grad = results(kDq, problem.heads);
  backward.key_grad = results(kDk, problem.key_heads);
  backward.value_grad = results(kDv, problem.key_heads);
  if (WantsBias(arguments)) {
    backward.bias_grad = Operand::WeightsTo(planner, kDpse, arguments.Tensor(kDpse).View());
  }
  return MakeBackwardPlan(planner, std::move(backward));
}

constinit Operator score_operator(flash_attention_score::kContract, MakeScorePlan);
constinit Operator grad_operator(flash_attention_score_grad::kContract, MakeGradPlan);

}  // namespace
}  // namespace aclimb::attention

extern "C" {

aclnnStatus aclnnFlashAttentionScoreGetWorkspaceSize(
    const aclTensor* query, const aclTensor* key, const aclTensor* value,
    const aclTensor* realShiftOptional, const aclTensor* dropMaskOptional,
    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
    const aclIntArray* prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut,
    const aclTensor* softmaxOutOut, const aclTensor* attentionOutOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::attention::score_operator, workspaceSize, executor, query, key,
                        value, realShiftOptional, dropMaskOptional, paddingMaskOptional,
                        attenMaskOptional, prefixOptional, scaleValue, keepProb, preTokens,
                        nextTokens, headNum, static_cast<const char*>(inputLayout), innerPrecise,
                        sparseMode, softmaxMaxOut, softmaxSumOut, softmaxOutOut, attentionOutOut);
}

aclnnStatus aclnnFlashAttentionScore(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::attention::score_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnFlashAttentionScoreGradGetWorkspaceSize(
    const aclTensor* query, const aclTensor* keyIn, const aclTensor* value, const aclTensor* dy,
    const aclTensor* pseShiftOptional, const aclTensor* dropMaskOptional,
    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
    const aclTensor* softmaxMaxOptional, const aclTensor* softmaxSumOptional,
    const aclTensor* softmaxInOptional, const aclTensor* attentionInOptional,
    const aclIntArray* prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor* dqOut, const aclTensor* dkOut, const aclTensor* dvOut,
    const aclTensor* dpseOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::attention::grad_operator, workspaceSize, executor, query, keyIn,
                        value, dy, pseShiftOptional, dropMaskOptional, paddingMaskOptional,
                        attenMaskOptional, softmaxMaxOptional, softmaxSumOptional,
                        softmaxInOptional, attentionInOptional, prefixOptional, scaleValue,
                        keepProb, preTokens, nextTokens, headNum,
                        static_cast<const char*>(inputLayout), innerPrecise, sparseMode, dqOut,
                        dkOut, dvOut, dpseOut);
}

aclnnStatus aclnnFlashAttentionScoreGrad(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::attention::grad_operator, workspace, workspaceSize, executor,
                        stream);
}

}  // extern "C"
