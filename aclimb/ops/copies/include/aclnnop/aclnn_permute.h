// Copies a tensor with its dimensions in another order. C++11.
#ifndef ACLNNOP_ACLNN_PERMUTE_H_
#define ACLNNOP_ACLNN_PERMUTE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self with its dimensions in another order. Phase 1.
//
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops permute`
//   dims           in   each dimension of self once, -1 the last
//   out            out  dtype of self, strided; its dimension i is dimension dims[i] of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, dims that do not name each dimension once,
//            another shape of out, a rank above 8, a blocked format
ACLNN_API aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor* self, const aclIntArray* dims,
                                                   aclTensor* out, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnPermute(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_PERMUTE_H_
