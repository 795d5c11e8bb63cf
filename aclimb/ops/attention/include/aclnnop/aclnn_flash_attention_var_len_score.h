// Attention for training, of sequences that lie one after the other. C++11.
#ifndef ACLNNOP_ACLNN_FLASH_ATTENTION_VAR_LEN_SCORE_H_
#define ACLNNOP_ACLNN_FLASH_ATTENTION_VAR_LEN_SCORE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. aclnnFlashAttentionScore of sequences of several lengths: T queries of all of them, one
// sequence after the other, T2 keys. Each sequence's queries meet its own keys alone.
//
//   query                  in   [T, N, D]; FLOAT, FLOAT16 or BFLOAT16
//   key                    in   [T2, N2, D]; N2 divides N; dtype of query
//   value                  in   [T2, N2, D]; its D may be another one
//   realShiftOptional      in   null: not implemented
//   dropMaskOptional       in   null, or UINT8: a bit for each weight [N, Sq, Skv] of the first
//                               sequence, then of the next, the lowest of a byte first; 0 drops it
//   paddingMaskOptional    in   null or empty
//   attenMaskOptional      in   null, or BOOL or UINT8 [longest Sq or more, longest Skv or more],
//                               where what is not 0 leaves a key of each sequence out; for
//                               sparseMode 2 to 4 [2048, 2048], not read
//   prefixOptional         in   not used
//   actualSeqQLenOptional  in   the ends of the sequences in query: none below the one before, the
//                               last is T; not null
//   actualSeqKvLenOptional in   the same in key, as many
//   scaleValue, keepProb, preTokens, nextTokens, headNum, innerPrecise, sparseMode
//                          in   as in aclnnFlashAttentionScore; places are those in a sequence
//   inputLayout            in   TND
//   softmaxMaxOut          out  FLOAT [T, N, 8]: the largest score of each query, eight times; the
//                               lowest FLOAT where no key takes part, whose attentionOut is 0
//   softmaxSumOut          out  the same of the sum of exp(score - largest), or 0
//   softmaxOutOut          out  is left alone
//   attentionOutOut        out  [T, N, D of value]; dtype of query
//   workspaceSize          out  bytes of device memory for phase 2
//   executor               out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, shape, layout or mode that is not listed
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScoreGetWorkspaceSize(
    const aclTensor* query, const aclTensor* key, const aclTensor* value,
    const aclTensor* realShiftOptional, const aclTensor* dropMaskOptional,
    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
    const aclIntArray* prefixOptional, const aclIntArray* actualSeqQLenOptional,
    const aclIntArray* actualSeqKvLenOptional, double scaleValue, double keepProb,
    int64_t preTokens, int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut,
    const aclTensor* softmaxOutOut, const aclTensor* attentionOutOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScore(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FLASH_ATTENTION_VAR_LEN_SCORE_H_
