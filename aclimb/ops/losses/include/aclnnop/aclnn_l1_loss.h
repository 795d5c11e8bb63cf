// Absolute difference of two tensors, its mean or its sum. C++11.
#ifndef ACLNNOP_ACLNN_L1_LOSS_H_
#define ACLNNOP_ACLNN_L1_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. |self - target|, the mean of all or their sum.
//   self           in   rank 0 to 8, strided; FLOAT, FLOAT16 or BF16
//   target         in   broadcasts with self; FLOAT, FLOAT16 or BF16
//   reduction      in   0 none, 1 mean (NaN of nothing), 2 sum
//   out            out  for reduction 0 the shape that self and target broadcast to, else rank 0 or
//                       [1]
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnL1LossGetWorkspaceSize(const aclTensor* self, const aclTensor* target,
                                                  int64_t reduction, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnL1Loss(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_L1_LOSS_H_
