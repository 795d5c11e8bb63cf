// Gradient of aclnnSmoothL1Loss. C++11.
#ifndef ACLNNOP_ACLNN_SMOOTH_L1_LOSS_BACKWARD_H_
#define ACLNNOP_ACLNN_SMOOTH_L1_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. With d = self - target: -gradOut where d <= -beta, gradOut where d >= beta, else
// gradOut * d / beta; divided by the number of losses if reduction is 1.
//   gradOut        in   gradient of the loss; broadcasts with the others
//   self           in   rank 0 to 8, strided; FLOAT, FLOAT16 or BF16
//   target         in   broadcasts with self; FLOAT, FLOAT16 or BF16
//   reduction      in   that of the loss
//   beta           in   that of the loss, 0 or more
//   gradInput      out  the shape that the others broadcast to
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnSmoothL1LossBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* self, const aclTensor* target, int64_t reduction,
    float beta, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnSmoothL1LossBackward(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SMOOTH_L1_LOSS_BACKWARD_H_
