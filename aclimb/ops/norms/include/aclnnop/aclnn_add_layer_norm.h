// Normalization of the rows of the sum of two tensors. C++11.
#ifndef ACLNNOP_ACLNN_ADD_LAYER_NORM_H_
#define ACLNNOP_ACLNN_ADD_LAYER_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// aclnnLayerNorm of x1 + x2 + biasOptional, which can be an output too. Phase 1.
//   x1                in    rows are the dimensions that gamma has, strided
//   x2                in    shape of x1
//   gamma             in    weights: the last dimensions of x1, one at least
//   beta              in    is added to the result: shape of gamma
//   biasOptional      in    shape of gamma or of x1; may be null
//   epsilon           in    is added to the variance
//   additionalOutput  in    whether xOut is written
//   yOut              out   shape of x1
//   meanOut           out   a FLOAT for each row: the dimensions before gamma's, then, or not, 1
//                           for each of these
//   rstdOut           out   a FLOAT for each row: the dimensions before gamma's, then, or not, 1
//                           for each of these
//   xOut              out   x1 + x2 + biasOptional: shape of x1; may be null when it is not written
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnAddLayerNormGetWorkspaceSize(
    const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma, const aclTensor* beta,
    const aclTensor* biasOptional, double epsilon, bool additionalOutput, const aclTensor* yOut,
    const aclTensor* meanOut, const aclTensor* rstdOut, const aclTensor* xOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAddLayerNorm(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADD_LAYER_NORM_H_
