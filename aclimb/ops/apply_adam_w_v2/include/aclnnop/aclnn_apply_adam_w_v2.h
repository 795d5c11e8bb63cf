// One step of AdamW for one parameter, in place. C++11.
#ifndef ACLNNOP_ACLNN_APPLY_ADAM_W_V2_H_
#define ACLNNOP_ACLNN_APPLY_ADAM_W_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. With g = grad, or -grad if maximize, and t = step + 1, the number of this step:
//   m = beta1 * m + (1 - beta1) * g,  v = beta2 * v + (1 - beta2) * g^2
//   var -= lr * weightDecay * var + lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
// If amsgrad, maxGradNorm becomes the larger one of itself and v, and stands for v in the last
// line.
//   varRef         in and out  rank 0 to 8, strided; FLOAT, FLOAT16 or BF16
//   mRef, vRef     in and out  shape and dtype of varRef
//   maxGradNormOptionalRef  in and out  shape of varRef; may be null, and is left alone, unless
//                       amsgrad is true
//   grad           in   shape of varRef; FLOAT, FLOAT16 or BF16
//   step           in   one element, INT64 or FLOAT: how many steps have been made before
//   lr to eps      in   numbers of the formula
//   amsgrad        in   whether the largest v so far is used
//   maximize       in   whether var goes along grad
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, a rank or a shape that does not fit, an older chip
ACLNN_API aclnnStatus aclnnApplyAdamWV2GetWorkspaceSize(
    aclTensor* varRef, aclTensor* mRef, aclTensor* vRef, aclTensor* maxGradNormOptionalRef,
    const aclTensor* grad, const aclTensor* step, float lr, float beta1, float beta2,
    float weightDecay, float eps, bool amsgrad, bool maximize, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnApplyAdamWV2(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_APPLY_ADAM_W_V2_H_
