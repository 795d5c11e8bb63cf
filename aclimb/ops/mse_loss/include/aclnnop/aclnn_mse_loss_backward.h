// Gradient of aclnnMseLoss with respect to self. C++11.
#ifndef ACLNNOP_ACLNN_MSE_LOSS_BACKWARD_H_
#define ACLNNOP_ACLNN_MSE_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out is 2 * (self - target) * gradOutput, for reduction 1 divided by the number of
// elements of self.
//   gradOutput     in   broadcasts with self and target; dtype of self
//   self           in   rank 0 to 8, FLOAT, FLOAT16 or BF16, strided
//   target         in   broadcasts with the others; dtype of self
//   reduction      in   0 none, 1 mean, 2 sum
//   out            out  the shape that the three broadcast to; dtype of self; may be one of them
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, another
//                   reduction, Ascend310P, which does not have the operator
ACLNN_API aclnnStatus aclnnMseLossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMseLossBackward(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MSE_LOSS_BACKWARD_H_
