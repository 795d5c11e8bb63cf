// Changes elements by their numbers in row-major order. C++11.
#ifndef ACLNNOP_ACLNN_PUT_H_
#define ACLNNOP_ACLNN_PUT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The element of selfRef with the number index[i, ...] in row-major order becomes
// source[i, ...], or source[i, ...] is added to it. Of equal indices the last one counts.
//   selfRef        in and out  rank 0 to 8, strided; dtypes: `aclimb ops inplace_put`
//   index          in   INT32 or INT64, any shape; counted from the end if negative; one that is
//                       not there is skipped, and the run fails (507015)
//   source         in   as many elements as index, dtype of selfRef
//   accumulate     in   whether elements are added
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnInplacePutGetWorkspaceSize(aclTensor* selfRef, const aclTensor* index,
                                                      const aclTensor* source, bool accumulate,
                                                      uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplacePut(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_PUT_H_
