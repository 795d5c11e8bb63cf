// Elements by their numbers in row-major order. C++11.
#ifndef ACLNNOP_ACLNN_TAKE_H_
#define ACLNNOP_ACLNN_TAKE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out[i, ...] = the element of self with the number index[i, ...] in row-major order.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops take`
//   index          in   INT32 or INT64, any shape; counted from the end if negative; the element of
//                       one that self does not have is 0, and the run fails (507015)
//   out            out  shape of index, dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnTakeGetWorkspaceSize(const aclTensor* self, const aclTensor* index,
                                                aclTensor* out, uint64_t* workspaceSize,
                                                aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnTake(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TAKE_H_
