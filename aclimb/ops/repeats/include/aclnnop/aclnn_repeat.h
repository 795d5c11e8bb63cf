// A tensor laid side by side. C++11.
#ifndef ACLNNOP_ACLNN_REPEAT_H_
#define ACLNNOP_ACLNN_REPEAT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self laid side by side, so often along each dimension. Phase 1.
//
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops repeat`
//   repeats        in   how often along each dimension of out, at least 0; as many as self has
//                       dimensions or more, up to 8
//   out            out  dtype of self, strided; the shape of self, with dimensions of 1 before
//                       it, times repeats
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, repeats below 0, fewer than dimensions,
//            more than 8, another shape of out, a rank that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnRepeatGetWorkspaceSize(const aclTensor* self, const aclIntArray* repeats,
                                                  aclTensor* out, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRepeat(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_REPEAT_H_
