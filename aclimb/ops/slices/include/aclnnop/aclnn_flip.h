// A tensor with its indices reversed. C++11.
#ifndef ACLNNOP_ACLNN_FLIP_H_
#define ACLNNOP_ACLNN_FLIP_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self with the order of indices reversed along some dimensions. Phase 1.
//
//   self           in   rank 1 to 8, strided; dtypes: `aclimb ops flip`
//   dims           in   dimensions of self, each once, -1 the last
//   out            out  shape and dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, dimensions that are none, another shape of
//            out, a rank that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnFlipGetWorkspaceSize(const aclTensor* self, const aclIntArray* dims,
                                                aclTensor* out, uint64_t* workspaceSize,
                                                aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnFlip(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FLIP_H_
