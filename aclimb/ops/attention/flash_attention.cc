// aclnnFlashAttentionScore: the C entry points and the plans.

#include <utility>

#include "aclimb/executor/phase.h"
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

constinit Operator score_operator(flash_attention_score::kContract, MakeScorePlan);

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

}  // extern "C"
