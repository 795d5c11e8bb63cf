// Fills a tensor with ones. C++11.
#ifndef ACLNNOP_ACLNN_ONE_H_
#define ACLNNOP_ACLNN_ONE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// selfRef = 1 everywhere: const in the documents, and written all the same. Phase 1.
//
//   selfRef        out  rank 0 to 8, strided; overwritten; dtypes: `aclimb ops inplace_one`
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a rank above 8, a blocked format
ACLNN_API aclnnStatus aclnnInplaceOneGetWorkspaceSize(const aclTensor* selfRef,
                                                      uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceOne(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ONE_H_
