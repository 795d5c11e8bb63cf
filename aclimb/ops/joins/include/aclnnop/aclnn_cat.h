// Joins tensors along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_CAT_H_
#define ACLNNOP_ACLNN_CAT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = the tensors one after another along a dimension. Phase 1.
//
//   tensors        in   rank 1 to 8, strided; dtypes: `aclimb ops cat`; equally shaped but for
//                       dimension dim, of dtypes that promote to one
//   dim            in   of the first tensor, -1 the last
//   out            out  as long in dimension dim as all tensors together, strided; a dtype that
//                       the promoted one converts to
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 no tensor, a dtype, dtypes without a common one, a
//            dimension that is none, unequal shapes, a rank of 0 or above 8, a blocked format
ACLNN_API aclnnStatus aclnnCatGetWorkspaceSize(const aclTensorList* tensors, int64_t dim,
                                               aclTensor* out, uint64_t* workspaceSize,
                                               aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnCat(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CAT_H_
