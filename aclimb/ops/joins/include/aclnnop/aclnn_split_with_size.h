// Splits a tensor into parts of given lengths. C++11.
#ifndef ACLNNOP_ACLNN_SPLIT_WITH_SIZE_H_
#define ACLNNOP_ACLNN_SPLIT_WITH_SIZE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out[i] = part i of self along a dimension, in parts of given lengths. Phase 1.
//
//   self           in   rank 1 to 8, strided; dtypes: `aclimb ops split_with_size`
//   splitSize      in   how long each part is along dim; together as long as self
//   dim            in   of self, -1 the last
//   out            out  the parts in order, dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a dimension that is none, sizes below 0 or
//            with another sum, another number of parts, another shape of a part, a rank of 0 or
//            above 8, a blocked format
ACLNN_API aclnnStatus aclnnSplitWithSizeGetWorkspaceSize(const aclTensor* self,
                                                         const aclIntArray* splitSize, int64_t dim,
                                                         aclTensorList* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnSplitWithSize(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SPLIT_WITH_SIZE_H_
