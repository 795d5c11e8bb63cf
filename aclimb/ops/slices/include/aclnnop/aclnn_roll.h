// A tensor with its indices shifted in a circle. C++11.
#ifndef ACLNNOP_ACLNN_ROLL_H_
#define ACLNNOP_ACLNN_ROLL_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out[(i + shift) modulo the extent] = x[i] along some dimensions. Phase 1.
//
//   x              in   rank 0 to 8, strided; dtypes: `aclimb ops roll`
//   shifts         in   any numbers, one for each of dims
//   dims           in   dimensions of x, -1 the last; what stands twice is shifted twice
//   out            out  shape and dtype of x, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, dimensions that are none, another number
//            of shifts, another shape of out, a rank that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnRollGetWorkspaceSize(const aclTensor* x, const aclIntArray* shifts,
                                                const aclIntArray* dims, aclTensor* out,
                                                uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRoll(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROLL_H_
