// One half of a tensor gates the other: silu(a) * b. C++11.
#ifndef ACLNNOP_ACLNN_SWI_GLU_H_
#define ACLNNOP_ACLNN_SWI_GLU_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = silu(a) * b, where a and b are the halves of x along a dimension.
//
//   x              in   rank 1 to 8, the extent of dimension dim is even; FLOAT, FLOAT16 or
//                       BFLOAT16
//   dimOptional    in   which dimension is halved, -1 the last
//   out            out  shape of x with half of that extent, dtype of x
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or number that is not listed
ACLNN_API aclnnStatus aclnnSwiGluGetWorkspaceSize(const aclTensor* x, int64_t dimOptional,
                                                  const aclTensor* out, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnSwiGlu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SWI_GLU_H_
