// aclnnFlashAttentionScore, its gradient, and both for sequences that lie one after the other: the
// C entry points and the plans.

#include <utility>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/attention/backward.h"
#include "aclimb/ops/attention/flash_attention_contract.h"
#include "aclimb/ops/attention/forward.h"
#include "aclimb/ops/attention/planning.h"
#include "aclimb/ops/attention/sequences.h"
#include "aclimb/ops/attention/var_len_contract.h"

namespace aclimb::attention {
namespace {

Result<PlanPointer> MakeScorePlan(const contract::Arguments& arguments, Planner& planner) {
  using namespace flash_attention_score;  // NOLINT: its positions
  Problem problem = ProblemOf(arguments, kPlaces);
  if (problem.batch == 0 || problem.queries == 0) return PlanPointer();
  problem.scale = arguments.Real(kScaleValue);
  problem.bias_factor = problem.scale;
  Forward forward;
  forward.problem = problem;
  SetOperands(arguments, planner, kPlaces, forward);
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
  Backward backward;
  backward.problem = problem;
  SetOperands(arguments, planner, kPlaces, backward);
  const auto matrices = [&](int place, int64_t heads) {
    return MatricesOf(arguments, planner, kPlaces, place, heads);
  };
  const auto results = [&](int place, int64_t heads) {
    return MatricesTo(arguments, planner, kPlaces, place, heads);
  };
  backward.grad = matrices(kDy, problem.heads);
  backward.result = matrices(kAttentionIn, problem.heads);
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

// The batches of a call whose sequences lie one after the other.
void SetSequences(const contract::Arguments& arguments, const SequencePlaces& places,
                  Inputs& call) {
  const Sequences queries = SequencesOf(arguments.Ints(places.query_ends));
  const Sequences keys = SequencesOf(arguments.Ints(places.key_ends));
  call.problem.batch = static_cast<int64_t>(queries.counts.size());
  call.problem.queries = queries.Longest();
  call.problem.keys = keys.Longest();
  call.query_starts = queries.starts;
  call.query_counts = queries.counts;
  call.key_starts = keys.starts;
  call.key_counts = keys.counts;
  call.weight_starts = WeightStarts(queries, keys, call.problem.heads);
}

Result<PlanPointer> MakeSequencesPlan(const contract::Arguments& arguments, Planner& planner) {
  using namespace flash_attention_var_len_score;  // NOLINT: its positions
  Forward forward;
  Problem& problem = forward.problem;
  problem = ProblemOf(arguments, kAt);
  SetSequences(arguments, kPlaces, forward);
  if (problem.queries == 0) return PlanPointer();
  problem.scale = arguments.Real(kScaleValue);
  SetOperands(arguments, planner, kAt, forward);
  forward.out = MatricesTo(arguments, planner, kAt, kAttentionOut, problem.heads);
  forward.max = FloatsTo(arguments, planner, kSoftmaxMax);
  forward.sum = FloatsTo(arguments, planner, kSoftmaxSum);
  forward.repeats = 8;
  return MakeForwardPlan(planner, std::move(forward));
}

Result<PlanPointer> MakeSequencesGradPlan(const contract::Arguments& arguments, Planner& planner) {
  using namespace flash_attention_unpadding_score_grad;  // NOLINT: its positions
  Backward backward;
  Problem& problem = backward.problem;
  problem = ProblemOf(arguments, kAt);
  SetSequences(arguments, kPlaces, backward);
  problem.scale = arguments.Real(kScaleValue);
  SetOperands(arguments, planner, kAt, backward);
  const auto matrices = [&](int place, int64_t heads) {
    return MatricesOf(arguments, planner, kAt, place, heads);
  };
  const auto results = [&](int place, int64_t heads) {
    return MatricesTo(arguments, planner, kAt, place, heads);
  };
  backward.grad = matrices(kDy, problem.heads);
  backward.result = matrices(kAttentionIn, problem.heads);
  backward.max = FloatsOf(arguments, planner, kSoftmaxMax);
  backward.sum = FloatsOf(arguments, planner, kSoftmaxSum);
  backward.repeats = 8;
  backward.query_grad = results(kDq, problem.heads);
  backward.key_grad = results(kDk, problem.key_heads);
  backward.value_grad = results(kDv, problem.key_heads);
  return MakeBackwardPlan(planner, std::move(backward));
}

constinit Operator score_operator(flash_attention_score::kContract, MakeScorePlan);
constinit Operator grad_operator(flash_attention_score_grad::kContract, MakeGradPlan);
constinit Operator sequences_operator(flash_attention_var_len_score::kContract, MakeSequencesPlan);
constinit Operator sequences_grad_operator(flash_attention_unpadding_score_grad::kContract,
                                           MakeSequencesGradPlan);

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

aclnnStatus aclnnFlashAttentionVarLenScoreGetWorkspaceSize(
    const aclTensor* query, const aclTensor* key, const aclTensor* value,
    const aclTensor* realShiftOptional, const aclTensor* dropMaskOptional,
    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
    const aclIntArray* prefixOptional, const aclIntArray* actualSeqQLenOptional,
    const aclIntArray* actualSeqKvLenOptional, double scaleValue, double keepProb,
    int64_t preTokens, int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut,
    const aclTensor* softmaxOutOut, const aclTensor* attentionOutOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::attention::sequences_operator, workspaceSize, executor, query, key,
                        value, realShiftOptional, dropMaskOptional, paddingMaskOptional,
                        attenMaskOptional, prefixOptional, actualSeqQLenOptional,
                        actualSeqKvLenOptional, scaleValue, keepProb, preTokens, nextTokens,
                        headNum, static_cast<const char*>(inputLayout), innerPrecise, sparseMode,
                        softmaxMaxOut, softmaxSumOut, softmaxOutOut, attentionOutOut);
}

aclnnStatus aclnnFlashAttentionVarLenScore(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::attention::sequences_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnFlashAttentionUnpaddingScoreGradGetWorkspaceSize(
    const aclTensor* query, const aclTensor* keyIn, const aclTensor* value, const aclTensor* dy,
    const aclTensor* pseShiftOptional, const aclTensor* dropMaskOptional,
    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
    const aclTensor* softmaxMaxOptional, const aclTensor* softmaxSumOptional,
    const aclTensor* softmaxInOptional, const aclTensor* attentionInOptional,
    const aclIntArray* prefixOptional, const aclIntArray* actualSeqQLenOptional,
    const aclIntArray* actualSeqKvLenOptional, double scaleValue, double keepProb,
    int64_t preTokens, int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor* dqOut, const aclTensor* dkOut, const aclTensor* dvOut,
    const aclTensor* dpseOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::attention::sequences_grad_operator, workspaceSize, executor, query,
                        keyIn, value, dy, pseShiftOptional, dropMaskOptional, paddingMaskOptional,
                        attenMaskOptional, softmaxMaxOptional, softmaxSumOptional,
                        softmaxInOptional, attentionInOptional, prefixOptional,
                        actualSeqQLenOptional, actualSeqKvLenOptional, scaleValue, keepProb,
                        preTokens, nextTokens, headNum, static_cast<const char*>(inputLayout),
                        innerPrecise, sparseMode, dqOut, dkOut, dvOut, dpseOut);
}

aclnnStatus aclnnFlashAttentionUnpaddingScoreGrad(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::attention::sequences_grad_operator, workspace, workspaceSize,
                        executor, stream);
}

}  // extern "C"
