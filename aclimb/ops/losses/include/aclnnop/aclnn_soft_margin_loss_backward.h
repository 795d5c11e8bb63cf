// The gradient of aclnnSoftMarginLoss. C++11.
#ifndef ACLNNOP_ACLNN_SOFT_MARGIN_LOSS_BACKWARD_H_
#define ACLNNOP_ACLNN_SOFT_MARGIN_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = gradient of aclnnSoftMarginLoss with respect to self.
//   gradOutput     in   gradient of the loss; broadcasts with the others; FLOAT, FLOAT16 or BF16
//   self           in   that of the loss
//   target         in   that of the loss
//   reduction      in   that of the loss: 0 none, 1 mean, 2 sum
//   out            out  shape that the others broadcast to
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnSoftMarginLossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnSoftMarginLossBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SOFT_MARGIN_LOSS_BACKWARD_H_
