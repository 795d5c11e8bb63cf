// Counts whole numbers. C++11.
#ifndef ACLNNOP_ACLNN_BINCOUNT_H_
#define ACLNNOP_ACLNN_BINCOUNT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out[k] = how often k is in self, or the sum of the weights of those places. Sums do not
// depend on the number of threads.
//   self           in   [N], strided, whole numbers; dtypes: `aclimb ops bincount`; one that
//                       out has no element for is not counted, and the run fails (507015)
//   weights        in   [N], strided, converted to the dtype of out; null means 1
//   minlength      in   0 or more
//   out            out  [L], INT32, INT64, FLOAT or DOUBLE; L is minlength or more
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnBincountGetWorkspaceSize(const aclTensor* self, const aclTensor* weights,
                                                    int64_t minlength, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnBincount(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_BINCOUNT_H_
