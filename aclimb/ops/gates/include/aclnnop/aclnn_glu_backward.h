// Gradient of aclnnGlu. C++11.
#ifndef ACLNNOP_ACLNN_GLU_BACKWARD_H_
#define ACLNNOP_ACLNN_GLU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The gradient of aclnnGlu with respect to self.
//
//   gradOut        in   gradient of the forward result: its shape; dtype of self
//   self           in   rank 1 to 8, the extent of dimension dim is even; DOUBLE, FLOAT, FLOAT16 or
//                       BFLOAT16
//   dim            in   which dimension is halved, -1 the last
//   out            out  shape and dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or number that is not listed
ACLNN_API aclnnStatus aclnnGluBackwardGetWorkspaceSize(const aclTensor* gradOut,
                                                       const aclTensor* self, int64_t dim,
                                                       const aclTensor* out,
                                                       uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnGluBackward(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GLU_BACKWARD_H_
