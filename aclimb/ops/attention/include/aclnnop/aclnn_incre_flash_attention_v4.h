// Attention of one query of each batch, as a model makes one token after the other. C++11.
#ifndef ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_V4_H_
#define ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_V4_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. aclnnFusedInferAttentionScore of one query for each batch. Quantised and paged tensors,
// left padding and lists of several tensors are not implemented.
//
//   query             in   by inputLayout: [B, 1, N * D], [B, 1, N, D] or [B, N, 1, D]; FLOAT16, on
//                          newer chips also BFLOAT16
//   key, value        in   lists of one tensor: the same with Skv and numKeyValueHeads; D of value
//                          may be another one
//   pseShift          in   null, or [B or 1, N, 1, Skv or more], dtype of query
//   attenMask         in   null, or BOOL, INT8 or UINT8 [B, Skv], [B or 1, 1, Skv] or
//                          [B or 1, N or 1, 1, Skv], the last or more, where what is not 0 leaves a
//                          key out
//   actualSeqLengths  in   null or empty, or how many keys each batch has, or one number for all
//   all other tensors in   null
//   numHeads          in   N
//   scaleValue        in   factor of the products
//   inputLayout       in   BSH, BSND or BNSD
//   numKeyValueHeads  in   0 stands for numHeads
//   blockSize         in   not used
//   innerPrecise      in   0 to 3; the results are the same
//   attentionOut      out  dtype of query; 0 where no key takes part
//   workspaceSize     out  bytes of device memory for phase 2
//   executor          out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, shape or layout that is not listed
ACLNN_API aclnnStatus aclnnIncreFlashAttentionV4GetWorkspaceSize(
    const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
    const aclTensor* pseShift, const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
    const aclTensor* dequantScale1, const aclTensor* quantScale1, const aclTensor* dequantScale2,
    const aclTensor* quantScale2, const aclTensor* quantOffset2, const aclTensor* antiquantScale,
    const aclTensor* antiquantOffset, const aclTensor* blocktable, const aclTensor* kvPaddingSize,
    int64_t numHeads, double scaleValue, char* inputLayout, int64_t numKeyValueHeads,
    int64_t blockSize, int64_t innerPrecise, const aclTensor* attentionOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnIncreFlashAttentionV4(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_V4_H_
