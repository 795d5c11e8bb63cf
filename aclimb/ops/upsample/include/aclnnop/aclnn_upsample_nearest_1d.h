// Lines in another length, by the nearest elements. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_NEAREST_1D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_NEAREST_1D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self in another length: element o of n is element floor(o * m / n) of the m of self, in
// float32. Phase 1.
//
//   self           in   [N, C, L], strided; dtypes: `aclimb ops upsample_nearest1d`
//   outputSize     in   one number, the length of out
//   out            out  N and C of self and the new length; dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, another rank than 3, a shape, lines without
//            elements, another count of sizes, one outside its range, another format than NCL
ACLNN_API aclnnStatus aclnnUpsampleNearest1dGetWorkspaceSize(const aclTensor* self,
                                                             const aclIntArray* outputSize,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUpsampleNearest1d(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UPSAMPLE_NEAREST_1D_H_
