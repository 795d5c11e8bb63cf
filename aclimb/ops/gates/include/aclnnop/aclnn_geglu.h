// One half of a tensor gates the other: a * gelu(b). C++11.
#ifndef ACLNNOP_ACLNN_GEGLU_H_
#define ACLNNOP_ACLNN_GEGLU_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_geglu_v3.h"  // programs find aclnnGeGluV3 here too
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. outGelu = gelu(b) and out = a * gelu(b), where a and b are the halves of self along a
// dimension.
//
//   self           in   rank 1 to 8, the extent of dimension dim is even; FLOAT, FLOAT16, BFLOAT16
//   dim            in   which dimension is halved, -1 the last
//   approximate    in   0: gelu by the error function, 1: by tanh
//   out, outGelu   out  shape of self with half of that extent, dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or number that is not listed
ACLNN_API aclnnStatus aclnnGeGluGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                 int64_t approximate, aclTensor* out,
                                                 aclTensor* outGelu, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnGeGlu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GEGLU_H_
