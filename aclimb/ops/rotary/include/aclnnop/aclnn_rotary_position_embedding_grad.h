// Gradients of aclnnRotaryPositionEmbedding. C++11.
#ifndef ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_GRAD_H_
#define ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1.
//
//   dy             in   gradient of the forward result: rank 4; FLOAT, FLOAT16 or BFLOAT16
//   cos, sin       in   as the forward call had them; dtype of dy
//   xOptional      in   the forward input, or null: then dcosOut and dsinOut are left alone
//   mode           in   as the forward call had it
//   dxOut          out  shape and dtype of dy; may be dy itself unless xOptional is given
//   dcosOut        out  shape and dtype of cos; null or anything without xOptional
//   dsinOut        out  shape and dtype of sin; null or anything without xOptional
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, shape or mode that is not listed
ACLNN_API aclnnStatus aclnnRotaryPositionEmbeddingGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* cos, const aclTensor* sin, const aclTensor* xOptional,
    int64_t mode, const aclTensor* dxOut, const aclTensor* dcosOut, const aclTensor* dsinOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnRotaryPositionEmbeddingGrad(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_GRAD_H_
