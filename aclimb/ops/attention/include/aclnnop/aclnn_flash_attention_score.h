// Attention for training: a weighted sum of values for each query. C++11.
#ifndef ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_H_
#define ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. attentionOut = dropout(softmax(mask(scaleValue * (query @ key^T + realShift)))) @ value,
// head by head. B batches, N heads of queries, N2 heads of keys and values, of which each serves
// N / N2 heads in a row, Sq queries, Skv keys, D elements.
//
//   query              in   by inputLayout: [B, Sq, N * D], [Sq, B, N * D], [B, N, Sq, D] or
//                           [B, Sq, N, D]; FLOAT, FLOAT16 or BFLOAT16
//   key                in   the same with Skv and N2; dtype of query
//   value              in   the same; its D may be another one
//   realShiftOptional  in   null, or [B or 1, N, Sq, Skv] or [B, N, 1, Skv], dtype of query
//   dropMaskOptional   in   null, or UINT8: a bit for each weight [B, N, Sq, Skv], the lowest of a
//                           byte first; 0 drops it. Read when keepProb is below 1
//   paddingMaskOptional  in null or empty
//   attenMaskOptional  in   null, or BOOL or UINT8 [B or 1, N or 1, Sq, Skv] or [Sq, Skv], where
//                           what is not 0 leaves a key out; for sparseMode 2 to 4 [2048, 2048],
//                           1 above the diagonal, which is taken for granted and not read
//   prefixOptional     in   not used by the modes below
//   scaleValue         in   factor of the scores
//   keepProb           in   0 to 1; the weights that stay are divided by it
//   preTokens          in   sparseMode 0 with a mask, and 4: so many keys before the query's own
//                           take part
//   nextTokens         in   and so many behind it
//   headNum            in   N
//   inputLayout        in   BSH, SBH, BNSD or BSND
//   innerPrecise       in   0, 1 or 2; the results are the same
//   sparseMode         in   0 by preTokens, nextTokens and mask (without mask all keys), 1 by mask,
//                           2 keys up to the query's number, 3 the same counted from the last of
//                           both, 4 by preTokens and nextTokens, counted from the last
//   softmaxMaxOut      out  FLOAT [B, N, Sq, 8]: the largest score of each query, eight times; the
//                           lowest FLOAT where no key takes part, whose attentionOut is 0
//   softmaxSumOut      out  the same of the sum of exp(score - largest), or 0
//   softmaxOutOut      out  is left alone
//   attentionOutOut    out  layout and dtype of query, D of value
//   workspaceSize      out  bytes of device memory for phase 2
//   executor           out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, shape, layout or mode that is not listed
ACLNN_API aclnnStatus aclnnFlashAttentionScoreGetWorkspaceSize(
    const aclTensor* query, const aclTensor* key, const aclTensor* value,
    const aclTensor* realShiftOptional, const aclTensor* dropMaskOptional,
    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
    const aclIntArray* prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut,
    const aclTensor* softmaxOutOut, const aclTensor* attentionOutOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnFlashAttentionScore(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_H_
