// Attention for inference, with the parameters of quantised keys and shared prefixes. C++11.
#ifndef ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V2_H_
#define ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. attentionOut = softmax(mask(scaleValue * query @ key^T + pseShift)) @ value, head by
// head. B batches, N heads of queries, numKeyValueHeads heads of keys and values, of which each
// serves as many heads in a row, Sq queries, Skv keys, D elements. Quantised and paged tensors,
// left padding and lists of several tensors are not implemented.
//
//   query               in   by inputLayout: [B, Sq, N * D], [B, Sq, N, D] or [B, N, Sq, D];
//                            FLOAT16 or BFLOAT16
//   key, value          in   lists of one tensor: the same with Skv; D of value may be another one
//   pseShiftOptional  in   null, or [B or 1, N, Sq or more, Skv or more], dtype of query
//   attenMaskOptional in   null, or BOOL, INT8 or UINT8 [Sq, Skv], [B or 1, Sq, Skv] or
//                            [B or 1, N or 1, Sq, Skv], the last two or more, where what is not 0
//                            leaves a key out; for sparseMode 2 to 4 [2048, 2048], not read
//   actualSeqLengthsOptional, actualSeqLengthsKvOptional
//                       in   null or empty, or how many queries and keys each batch has, or one
//                            number for all; what is beyond has no part, and results of 0
//   all other tensors   in   null
//   numHeads            in   N
//   scaleValue          in   factor of the products
//   preTokens, nextTokens, sparseMode
//                       in   as in aclnnFlashAttentionScore
//   inputLayout         in   BSH, BSND, BNSD, or BNSD_BSND, whose attentionOut is BSND
//   numKeyValueHeads    in   0 stands for numHeads
//   innerPrecise        in   0 to 3; the results are the same
//   softmaxLseFlag      in   whether softmaxLse is written
//   all other numbers   in   not used
//   attentionOut        out  dtype of query; 0 where no key takes part
//   softmaxLse          out  FLOAT [B, N, Sq, 1]: the logarithm of the sum of exp(score), infinity
//                            where no key takes part; null or anything without softmaxLseFlag
//   workspaceSize       out  bytes of device memory for phase 2
//   executor            out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, shape, layout or mode that is not listed
ACLNN_API aclnnStatus aclnnFusedInferAttentionScoreV2GetWorkspaceSize(
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
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnFusedInferAttentionScoreV2(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V2_H_
