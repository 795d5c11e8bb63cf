// The elements where a mask is true. C++11.
#ifndef ACLNNOP_ACLNN_MASKED_SELECT_H_
#define ACLNNOP_ACLNN_MASKED_SELECT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = the elements of self where mask is true, in row-major order of what both broadcast to, then
// zeros. Once the stream is synchronised, the shape of `out` (aclGetViewShape) is how many they
// are; a further call needs a tensor of the full size again. Phase 1.
//
//   self           in   rank 0 to 8, strided
//   mask           in   BOOL or UINT8, true where it is not 0; broadcasts with self
//   out            out  dtype of self, one dimension with room for all elements
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnMaskedSelectGetWorkspaceSize(const aclTensor* self,
                                                        const aclTensor* mask, aclTensor* out,
                                                        uint64_t* workspaceSize,
                                                        aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMaskedSelect(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MASKED_SELECT_H_
