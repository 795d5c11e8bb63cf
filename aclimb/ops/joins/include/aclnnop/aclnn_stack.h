// Joins tensors along a new dimension. C++11.
#ifndef ACLNNOP_ACLNN_STACK_H_
#define ACLNNOP_ACLNN_STACK_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = the tensors one after another along a new dimension. Phase 1.
//
//   tensors        in   rank 0 to 7, strided; dtypes: `aclimb ops stack`; equally shaped, of
//                       dtypes that promote to one
//   dim            in   of out, -1 the last
//   out            out  the shape of a tensor with their number inserted before dimension dim,
//                       strided; a dtype that the promoted one converts to
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 no tensor, a dtype, dtypes without a common one, a
//            dimension that is none, unequal shapes, a rank above 7, a blocked format
ACLNN_API aclnnStatus aclnnStackGetWorkspaceSize(const aclTensorList* tensors, int64_t dim,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnStack(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_STACK_H_
