// Copies a tensor into another one. C++11.
#ifndef ACLNNOP_ACLNN_COPY_H_
#define ACLNNOP_ACLNN_COPY_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// selfRef = src, converted to the dtype of selfRef: integers wrap, what is not 0 is true, floats
// lose their fraction, complex numbers their imaginary part. The two must not overlap, unless
// they are the same view. Phase 1.
//
//   selfRef        out  rank 0 to 8, strided; dtypes: `aclimb ops inplace_copy`
//   src            in   broadcasts to selfRef, strided; any of the same dtypes
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, COMPLEX to BOOL, shapes that do not
//            broadcast, a rank above 8, a blocked format
ACLNN_API aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor* selfRef, const aclTensor* src,
                                                       uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceCopy(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_COPY_H_
