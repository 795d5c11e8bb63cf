// Whether two tensors are equal. C++11.
#ifndef ACLNNOP_ACLNN_EQUAL_H_
#define ACLNNOP_ACLNN_EQUAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = whether self and other have the same shape and equal elements, compared in the dtype that
// they promote to; NaN equals nothing. Phase 1.
//
//   self           in   rank 0 to 8, strided
//   other          in   of a dtype that promotes with that of self
//   out            out  BOOL, one element
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnEqualGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnEqual(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_EQUAL_H_
