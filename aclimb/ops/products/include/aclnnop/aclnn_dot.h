// The sum of the products of two vectors' elements. C++11.
#ifndef ACLNNOP_ACLNN_DOT_H_
#define ACLNNOP_ACLNN_DOT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = the sum of self[i] * tensor[i]. FLOAT16 and BFLOAT16 are added in float32 and
// rounded once; integers wrap.
//   self, tensor   in   rank 1, as long as each other, strided; FLOAT, FLOAT16, INT8, INT32, UINT8,
//                       on A2 and later chips BF16
//   out            out  rank 0, the same dtype
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed or differs, another rank, different lengths, a
//                   blocked format
ACLNN_API aclnnStatus aclnnDotGetWorkspaceSize(const aclTensor* self, const aclTensor* tensor,
                                               aclTensor* out, uint64_t* workspaceSize,
                                               aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnDot(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_DOT_H_
