// Splits a tensor into parts of equal length. C++11.
#ifndef ACLNNOP_ACLNN_SPLIT_TENSOR_H_
#define ACLNNOP_ACLNN_SPLIT_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out[i] = part i of self along a dimension, in parts of equal length. Phase 1.
//
//   self           in   rank 1 to 8, strided; dtypes: `aclimb ops split_tensor`
//   splitSections  in   how long a part is along dim, at least 1; the last one may be shorter
//   dim            in   of self, -1 the last
//   out            out  the parts in order, dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a dimension that is none, splitSections of
//            0, another number of parts, another shape of a part, a rank of 0 or above 8, a
//            blocked format
ACLNN_API aclnnStatus aclnnSplitTensorGetWorkspaceSize(const aclTensor* self,
                                                       uint64_t splitSections, int64_t dim,
                                                       aclTensorList* out, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnSplitTensor(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SPLIT_TENSOR_H_
