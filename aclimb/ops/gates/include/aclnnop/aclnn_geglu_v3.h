// One half of a tensor gates the other by gelu, either of them. C++11.
#ifndef ACLNNOP_ACLNN_GEGLU_V3_H_
#define ACLNNOP_ACLNN_GEGLU_V3_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. aclnnGeGlu where the first half can be the one that gelu takes: outGelu = gelu(a) and
// out = gelu(a) * b if activateLeft is true.
//
//   self           in   rank 1 to 8, the extent of dimension dim is even; FLOAT, FLOAT16, BFLOAT16
//   dim            in   which dimension is halved, -1 the last
//   approximate    in   0: gelu by the error function, 1: by tanh
//   activateLeft   in   which half gelu takes
//   out, outGelu   out  shape of self with half of that extent, dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or number that is not listed
ACLNN_API aclnnStatus aclnnGeGluV3GetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                   int64_t approximate, bool activateLeft,
                                                   aclTensor* out, aclTensor* outGelu,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnGeGluV3(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GEGLU_V3_H_
