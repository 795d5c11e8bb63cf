// What is nearer to 0 than a number becomes 0, and all else moves towards 0 by it. C++11.
#ifndef ACLNNOP_ACLNN_SOFTSHRINK_H_
#define ACLNNOP_ACLNN_SOFTSHRINK_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = x - lambd where x > lambd, x + lambd where x < -lambd, else 0; NaN stays.
//
//   self           in   any shape; FLOAT or FLOAT16, on newer chips also BFLOAT16
//   lambd          in   FLOAT, 0 or more
//   out            out  shape of self; may share memory and view with it
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, another shape, lambd below 0
ACLNN_API aclnnStatus aclnnSoftshrinkGetWorkspaceSize(const aclTensor* self, const aclScalar* lambd,
                                                      aclTensor* out, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnSoftshrink(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SOFTSHRINK_H_
