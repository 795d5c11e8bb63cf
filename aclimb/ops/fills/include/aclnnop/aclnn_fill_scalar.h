// Fills a tensor with a number of the host. C++11.
#ifndef ACLNNOP_ACLNN_FILL_SCALAR_H_
#define ACLNNOP_ACLNN_FILL_SCALAR_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// selfRef = value everywhere. Phase 1.
//
//   selfRef        out  rank 0 to 8, strided; overwritten; dtypes:
//                       `aclimb ops inplace_fill_scalar`
//   value          in   converted to the dtype of selfRef as aclnnCast does; a number of that
//                       dtype, where it is one of integers
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a complex value for a real selfRef, a rank
//            above 8, a blocked format
ACLNN_API aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor* selfRef,
                                                             const aclScalar* value,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceFillScalar(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FILL_SCALAR_H_
