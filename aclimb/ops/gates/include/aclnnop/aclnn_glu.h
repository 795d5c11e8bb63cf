// One half of a tensor gates the other: a * sigmoid(b). C++11.
#ifndef ACLNNOP_ACLNN_GLU_H_
#define ACLNNOP_ACLNN_GLU_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = a * sigmoid(b), where a and b are the halves of self along a dimension.
//
//   self           in   rank 1 to 8, the extent of dimension dim is even; DOUBLE, FLOAT, FLOAT16 or
//                       BFLOAT16
//   dim            in   which dimension is halved, -1 the last
//   out            out  shape of self with half of that extent; a dtype that of self converts to
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or number that is not listed
ACLNN_API aclnnStatus aclnnGluGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                               const aclTensor* out, uint64_t* workspaceSize,
                                               aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnGlu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GLU_H_
