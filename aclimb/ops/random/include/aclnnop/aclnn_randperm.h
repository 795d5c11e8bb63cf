// Numbers in random order. C++11.
#ifndef ACLNNOP_ACLNN_RANDPERM_H_
#define ACLNNOP_ACLNN_RANDPERM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = the numbers 0 to n - 1, in an order of which all are equally likely. Equal seed and offset
// give equal numbers on every computer, in any view; they are not those of the NPU. Phase 1.
//
//   n              in   how many there are
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   out            out  of shape [n]
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnRandpermGetWorkspaceSize(int64_t n, int64_t seed, int64_t offset,
                                                    aclTensor* out, uint64_t* workspaceSize,
                                                    aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRandperm(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RANDPERM_H_
