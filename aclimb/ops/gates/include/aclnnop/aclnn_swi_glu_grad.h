// Gradient of aclnnSwiGlu. C++11.
#ifndef ACLNNOP_ACLNN_SWI_GLU_GRAD_H_
#define ACLNNOP_ACLNN_SWI_GLU_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The gradient of aclnnSwiGlu with respect to x.
//
//   yGrad          in   gradient of the forward result: its shape; dtype of x
//   x              in   rank 1 to 8, the extent of dimension dim is even; FLOAT, FLOAT16 or
//                       BFLOAT16
//   dimOptional    in   which dimension is halved, -1 the last
//   out            out  shape and dtype of x
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or number that is not listed
ACLNN_API aclnnStatus aclnnSwiGluGradGetWorkspaceSize(const aclTensor* yGrad, const aclTensor* x,
                                                      int64_t dimOptional, const aclTensor* out,
                                                      uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnSwiGluGrad(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SWI_GLU_GRAD_H_
