// Gradients of attention of sequences that lie one after the other. C++11.
#ifndef ACLNNOP_ACLNN_FLASH_ATTENTION_UNPADDING_SCORE_GRAD_H_
#define ACLNNOP_ACLNN_FLASH_ATTENTION_UNPADDING_SCORE_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The gradients of aclnnFlashAttentionVarLenScore with respect to query, key and value.
//
//   query, keyIn, value    in   as the forward call had them
//   dy                     in   gradient of the forward result: its shape and dtype
//   pseShiftOptional       in   null: not implemented
//   dropMaskOptional, paddingMaskOptional, attenMaskOptional, prefixOptional,
//   actualSeqQLenOptional, actualSeqKvLenOptional, scaleValue, keepProb, preTokens, nextTokens,
//   headNum, inputLayout, innerPrecise, sparseMode
//                          in   as the forward call had them
//   softmaxMaxOptional     in   FLOAT [T, N, 8]: what the forward call returned; not null
//   softmaxSumOptional     in   the same
//   softmaxInOptional      in   null or anything; not read
//   attentionInOptional    in   the forward result; not null
//   dqOut, dkOut, dvOut    out  shape and dtype of query, keyIn and value
//   dpseOut                out  null, or is left alone
//   workspaceSize          out  bytes of device memory for phase 2
//   executor               out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, shape, layout or mode that is not listed
ACLNN_API aclnnStatus aclnnFlashAttentionUnpaddingScoreGradGetWorkspaceSize(
    const aclTensor* query, const aclTensor* keyIn, const aclTensor* value, const aclTensor* dy,
    const aclTensor* pseShiftOptional, const aclTensor* dropMaskOptional,
    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
    const aclTensor* softmaxMaxOptional, const aclTensor* softmaxSumOptional,
    const aclTensor* softmaxInOptional, const aclTensor* attentionInOptional,
    const aclIntArray* prefixOptional, const aclIntArray* actualSeqQLenOptional,
    const aclIntArray* actualSeqKvLenOptional, double scaleValue, double keepProb,
    int64_t preTokens, int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor* dqOut, const aclTensor* dkOut, const aclTensor* dvOut,
    const aclTensor* dpseOut, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnFlashAttentionUnpaddingScoreGrad(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FLASH_ATTENTION_UNPADDING_SCORE_GRAD_H_
