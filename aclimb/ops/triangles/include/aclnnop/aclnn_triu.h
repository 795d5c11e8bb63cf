// The upper triangles of matrices. C++11.
#ifndef ACLNNOP_ACLNN_TRIU_H_
#define ACLNNOP_ACLNN_TRIU_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out[i, j] = self[i, j] where j >= i + diagonal, else 0, in the last two dimensions. Phase 1.
//
//   self           in   rank 2 to 8, strided; dtypes: `aclimb ops triu`
//   diagonal       in   any number
//   out            out  shape and dtype of self, strided; may be self itself
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, an unequal shape, a rank below 2 or above
//            8, a blocked format
ACLNN_API aclnnStatus aclnnTriuGetWorkspaceSize(const aclTensor* self, int64_t diagonal,
                                                aclTensor* out, uint64_t* workspaceSize,
                                                aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnTriu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                aclrtStream stream);

// selfRef[i, j] = 0 where not j >= i + diagonal, in the last two dimensions. Phase 1.
//
//   selfRef        in and out  rank 2 to 8, strided; dtypes: `aclimb ops inplace_triu`
//   diagonal       in   any number
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a rank below 2 or above 8, a blocked
//            format
ACLNN_API aclnnStatus aclnnInplaceTriuGetWorkspaceSize(aclTensor* selfRef, int64_t diagonal,
                                                       uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceTriu(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRIU_H_
