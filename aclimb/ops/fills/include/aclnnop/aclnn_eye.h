// Makes an identity matrix. C++11.
#ifndef ACLNNOP_ACLNN_EYE_H_
#define ACLNNOP_ACLNN_EYE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = 1 where row and column are equal, else 0. Phase 1.
//
//   n              in   rows, at least 0
//   m              in   columns, at least 0
//   out            out  [n, m], strided; dtypes: `aclimb ops eye`
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 n or m below 0, a dtype, another shape, a blocked
//            format
ACLNN_API aclnnStatus aclnnEyeGetWorkspaceSize(int64_t n, int64_t m, aclTensor* out,
                                               uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnEye(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_EYE_H_
