// Attention of prompts: a weighted sum of values for each query. C++11.
#ifndef ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_V3_H_
#define ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_V3_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. aclnnFusedInferAttentionScore without lists, paging and softmaxLse.
//
//   query           in   by inputLayout: [B, Sq, N * D], [B, Sq, N, D] or [B, N, Sq, D]; FLOAT16,
//                        on newer chips also BFLOAT16
//   key, value      in   the same with Skv and numKeyValueHeads; D of value may be another one
//   pseShift, attenMask, actualSeqLengths, actualSeqLengthsKv, numHeads, scaleValue, preTokens,
//   nextTokens, inputLayout, numKeyValueHeads, sparseMode, innerPrecise
//                   in   as in aclnnFusedInferAttentionScore
//   deqScale1, quantScale1, deqScale2, quantScale2, quantOffset2
//                   in   null: quantised tensors are not implemented
//   attentionOut    out  dtype of query; 0 where no key takes part
//   workspaceSize   out  bytes of device memory for phase 2
//   executor        out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, shape, layout or mode that is not listed
ACLNN_API aclnnStatus aclnnPromptFlashAttentionV3GetWorkspaceSize(
    const aclTensor* query, const aclTensor* key, const aclTensor* value, const aclTensor* pseShift,
    const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
    const aclIntArray* actualSeqLengthsKv, const aclTensor* deqScale1, const aclTensor* quantScale1,
    const aclTensor* deqScale2, const aclTensor* quantScale2, const aclTensor* quantOffset2,
    int64_t numHeads, double scaleValue, int64_t preTokens, int64_t nextTokens, char* inputLayout,
    int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise,
    const aclTensor* attentionOut, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnPromptFlashAttentionV3(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_V3_H_
