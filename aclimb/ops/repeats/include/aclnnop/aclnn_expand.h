// A tensor broadcast to a shape. C++11.
#ifndef ACLNNOP_ACLNN_EXPAND_H_
#define ACLNNOP_ACLNN_EXPAND_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self broadcast to a shape. Phase 1.
//
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops expand`
//   size           in   to which self broadcasts; -1 keeps the extent of self
//   out            out  shape size, dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a size to which self does not broadcast,
//            another shape of out, a rank that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnExpandGetWorkspaceSize(const aclTensor* self, const aclIntArray* size,
                                                  aclTensor* out, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnExpand(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_EXPAND_H_
