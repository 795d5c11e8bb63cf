// aclnnFusedInferAttentionScore, its later forms and aclnnPromptFlashAttentionV3: the C entry
// points and the plan.

#include <utility>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/attention/forward.h"
#include "aclimb/ops/attention/infer_contract.h"
#include "aclimb/ops/attention/planning.h"

namespace aclimb::attention {
namespace {

template <const InferPlaces& kPlaces, int kScale>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const Places& at = kPlaces.at;
  Problem problem = ProblemOf(arguments, at);
  if (problem.batch == 0 || problem.queries == 0) return PlanPointer();
  problem.scale = arguments.Real(kScale);
  Forward forward;
  forward.problem = problem;
  forward.query_counts = CountsOf(arguments, kPlaces.query_counts, problem.batch);
  forward.key_counts = CountsOf(arguments, kPlaces.key_counts, problem.batch);
  SetOperands(arguments, planner, at, forward);
  forward.out = MatricesTo(arguments, planner, at, kPlaces.out, problem.heads);
  if constexpr (kPlaces.flag >= 0) {
    if (arguments.Bool(kPlaces.flag)) {
      forward.log_sum = FloatsTo(arguments, planner, kPlaces.log_sum);
    }
  }
  return MakeForwardPlan(planner, std::move(forward));
}

constinit Operator infer_operator(
    fused_infer_attention_score::kContract,
    MakePlan<fused_infer_attention_score::kPlaces, fused_infer_attention_score::kScaleValue>);
constinit Operator infer_v2_operator(
    fused_infer_attention_score_v2::kContract,
    MakePlan<fused_infer_attention_score_v2::kPlaces, fused_infer_attention_score_v2::kScaleValue>);
constinit Operator infer_v3_operator(
    fused_infer_attention_score_v3::kContract,
    MakePlan<fused_infer_attention_score_v3::kPlaces, fused_infer_attention_score_v3::kScaleValue>);
constinit Operator prompt_operator(
    prompt_flash_attention_v3::kContract,
    MakePlan<prompt_flash_attention_v3::kPlaces, prompt_flash_attention_v3::kScaleValue>);
constinit Operator incre_operator(
    incre_flash_attention_v4::kContract,
    MakePlan<incre_flash_attention_v4::kPlaces, incre_flash_attention_v4::kScaleValue>);

}  // namespace
}  // namespace aclimb::attention

extern "C" {

aclnnStatus aclnnFusedInferAttentionScoreGetWorkspaceSize(
    const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
    const aclTensor* pseShift, const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
    const aclIntArray* actualSeqLengthsKv, const aclTensor* deqScale1, const aclTensor* quantScale1,
    const aclTensor* deqScale2, const aclTensor* quantScale2, const aclTensor* quantOffset2,
    const aclTensor* antiquantScale, const aclTensor* antiquantOffset, const aclTensor* blockTable,
    const aclTensor* queryPaddingSize, const aclTensor* kvPaddingSize, int64_t numHeads,
    double scaleValue, int64_t preTokens, int64_t nextTokens, char* inputLayout,
    int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
    int64_t antiquantMode, bool softmaxLseFlag, const aclTensor* attentionOut,
    const aclTensor* softmaxLse, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1OfMany(
      aclimb::attention::infer_operator, workspaceSize, executor, query, key, value, pseShift,
      attenMask, actualSeqLengths, actualSeqLengthsKv, deqScale1, quantScale1, deqScale2,
      quantScale2, quantOffset2, antiquantScale, antiquantOffset, blockTable, queryPaddingSize,
      kvPaddingSize, numHeads, scaleValue, preTokens, nextTokens,
      static_cast<const char*>(inputLayout), numKeyValueHeads, sparseMode, innerPrecise, blockSize,
      antiquantMode, softmaxLseFlag, attentionOut, softmaxLse);
}

aclnnStatus aclnnFusedInferAttentionScore(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::attention::infer_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnFusedInferAttentionScoreV2GetWorkspaceSize(
    const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
    const aclTensor* pseShiftOptional, const aclTensor* attenMaskOptional,
    const aclIntArray* actualSeqLengthsOptional, const aclIntArray* actualSeqLengthsKvOptional,
    const aclTensor* deqScale1Optional, const aclTensor* quantScale1Optional,
    const aclTensor* deqScale2Optional, const aclTensor* quantScale2Optional,
    const aclTensor* quantOffset2Optional, const aclTensor* antiquantScaleOptional,
    const aclTensor* antiquantOffsetOptional, const aclTensor* blockTableOptional,
    const aclTensor* queryPaddingSizeOptional, const aclTensor* kvPaddingSizeOptional,
    const aclTensor* keyAntiquantScaleOptional, const aclTensor* keyAntiquantOffsetOptional,
    const aclTensor* valueAntiquantScaleOptional, const aclTensor* valueAntiquantOffsetOptional,
    const aclTensor* keySharedPrefixOptional, const aclTensor* valueSharedPrefixOptional,
    const aclIntArray* actualSharedPrefixLenOptional, int64_t numHeads, double scaleValue,
    int64_t preTokens, int64_t nextTokens, char* inputLayout, int64_t numKeyValueHeads,
    int64_t sparseMode, int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode,
    bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode,
    const aclTensor* attentionOut, const aclTensor* softmaxLse, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1OfMany(
      aclimb::attention::infer_v2_operator, workspaceSize, executor, query, key, value,
      pseShiftOptional, attenMaskOptional, actualSeqLengthsOptional, actualSeqLengthsKvOptional,
      deqScale1Optional, quantScale1Optional, deqScale2Optional, quantScale2Optional,
      quantOffset2Optional, antiquantScaleOptional, antiquantOffsetOptional, blockTableOptional,
      queryPaddingSizeOptional, kvPaddingSizeOptional, keyAntiquantScaleOptional,
      keyAntiquantOffsetOptional, valueAntiquantScaleOptional, valueAntiquantOffsetOptional,
      keySharedPrefixOptional, valueSharedPrefixOptional, actualSharedPrefixLenOptional, numHeads,
      scaleValue, preTokens, nextTokens, static_cast<const char*>(inputLayout), numKeyValueHeads,
      sparseMode, innerPrecise, blockSize, antiquantMode, softmaxLseFlag, keyAntiquantMode,
      valueAntiquantMode, attentionOut, softmaxLse);
}

aclnnStatus aclnnFusedInferAttentionScoreV2(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::attention::infer_v2_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnFusedInferAttentionScoreV3GetWorkspaceSize(
    const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
    const aclTensor* pseShiftOptional, const aclTensor* attenMaskOptional,
    const aclIntArray* actualSeqLengthsOptional, const aclIntArray* actualSeqLengthsKvOptional,
    const aclTensor* deqScale1Optional, const aclTensor* quantScale1Optional,
    const aclTensor* deqScale2Optional, const aclTensor* quantScale2Optional,
    const aclTensor* quantOffset2Optional, const aclTensor* antiquantScaleOptional,
    const aclTensor* antiquantOffsetOptional, const aclTensor* blockTableOptional,
    const aclTensor* queryPaddingSizeOptional, const aclTensor* kvPaddingSizeOptional,
    const aclTensor* keyAntiquantScaleOptional, const aclTensor* keyAntiquantOffsetOptional,
    const aclTensor* valueAntiquantScaleOptional, const aclTensor* valueAntiquantOffsetOptional,
    const aclTensor* keySharedPrefixOptional, const aclTensor* valueSharedPrefixOptional,
    const aclIntArray* actualSharedPrefixLenOptional, const aclTensor* queryRopeOptional,
    const aclTensor* keyRopeOptional, const aclTensor* keyRopeAntiquantScaleOptional,
    int64_t numHeads, double scaleValue, int64_t preTokens, int64_t nextTokens, char* inputLayout,
    int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
    int64_t antiquantMode, bool softmaxLseFlag, int64_t keyAntiquantMode,
    int64_t valueAntiquantMode, const aclTensor* attentionOut, const aclTensor* softmaxLse,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1OfMany(
      aclimb::attention::infer_v3_operator, workspaceSize, executor, query, key, value,
      pseShiftOptional, attenMaskOptional, actualSeqLengthsOptional, actualSeqLengthsKvOptional,
      deqScale1Optional, quantScale1Optional, deqScale2Optional, quantScale2Optional,
      quantOffset2Optional, antiquantScaleOptional, antiquantOffsetOptional, blockTableOptional,
      queryPaddingSizeOptional, kvPaddingSizeOptional, keyAntiquantScaleOptional,
      keyAntiquantOffsetOptional, valueAntiquantScaleOptional, valueAntiquantOffsetOptional,
      keySharedPrefixOptional, valueSharedPrefixOptional, actualSharedPrefixLenOptional,
      queryRopeOptional, keyRopeOptional, keyRopeAntiquantScaleOptional, numHeads, scaleValue,
      preTokens, nextTokens, static_cast<const char*>(inputLayout), numKeyValueHeads, sparseMode,
      innerPrecise, blockSize, antiquantMode, softmaxLseFlag, keyAntiquantMode, valueAntiquantMode,
      attentionOut, softmaxLse);
}

aclnnStatus aclnnFusedInferAttentionScoreV3(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::attention::infer_v3_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnPromptFlashAttentionV3GetWorkspaceSize(
    const aclTensor* query, const aclTensor* key, const aclTensor* value, const aclTensor* pseShift,
    const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
    const aclIntArray* actualSeqLengthsKv, const aclTensor* deqScale1, const aclTensor* quantScale1,
    const aclTensor* deqScale2, const aclTensor* quantScale2, const aclTensor* quantOffset2,
    int64_t numHeads, double scaleValue, int64_t preTokens, int64_t nextTokens, char* inputLayout,
    int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise,
    const aclTensor* attentionOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::attention::prompt_operator, workspaceSize, executor, query, key,
                        value, pseShift, attenMask, actualSeqLengths, actualSeqLengthsKv, deqScale1,
                        quantScale1, deqScale2, quantScale2, quantOffset2, numHeads, scaleValue,
                        preTokens, nextTokens, static_cast<const char*>(inputLayout),
                        numKeyValueHeads, sparseMode, innerPrecise, attentionOut);
}

aclnnStatus aclnnPromptFlashAttentionV3(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::attention::prompt_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnIncreFlashAttentionV4GetWorkspaceSize(
    const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
    const aclTensor* pseShift, const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
    const aclTensor* dequantScale1, const aclTensor* quantScale1, const aclTensor* dequantScale2,
    const aclTensor* quantScale2, const aclTensor* quantOffset2, const aclTensor* antiquantScale,
    const aclTensor* antiquantOffset, const aclTensor* blocktable, const aclTensor* kvPaddingSize,
    int64_t numHeads, double scaleValue, char* inputLayout, int64_t numKeyValueHeads,
    int64_t blockSize, int64_t innerPrecise, const aclTensor* attentionOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::attention::incre_operator, workspaceSize, executor, query, key,
                        value, pseShift, attenMask, actualSeqLengths, dequantScale1, quantScale1,
                        dequantScale2, quantScale2, quantOffset2, antiquantScale, antiquantOffset,
                        blocktable, kvPaddingSize, numHeads, scaleValue,
                        static_cast<const char*>(inputLayout), numKeyValueHeads, blockSize,
                        innerPrecise, attentionOut);
}

aclnnStatus aclnnIncreFlashAttentionV4(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::attention::incre_operator, workspace, workspaceSize, executor,
                        stream);
}

}  // extern "C"
