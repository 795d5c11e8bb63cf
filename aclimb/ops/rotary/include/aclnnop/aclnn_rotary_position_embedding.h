// Turns pairs of elements by angles that depend on the position. C++11.
#ifndef ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_H_
#define ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = x * cos + turned(x) * sin along the last dimension, D long.
//
//   x              in   rank 4; FLOAT, FLOAT16 or BFLOAT16
//   cos, sin       in   shape of x, or 1 in place of any of the first three extents; dtype of x
//   mode           in   what turned(x) is made of:
//                       0  halves x1, x2: (-x2, x1)
//                       1  pairs of neighbours x1, x2: (-x2, x1)
//                       2  quarters x1 to x4: (-x2, x1, -x4, x3)
//                       3  as 0, of x whose even elements come first and then the odd ones; x
//                          itself is taken in that order too
//                  D is even, for mode 2 a multiple of 4
//   out            out  shape and dtype of x; may be x itself
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or mode that is not listed
ACLNN_API aclnnStatus aclnnRotaryPositionEmbeddingGetWorkspaceSize(
    const aclTensor* x, const aclTensor* cos, const aclTensor* sin, int64_t mode, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnRotaryPositionEmbedding(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_H_
