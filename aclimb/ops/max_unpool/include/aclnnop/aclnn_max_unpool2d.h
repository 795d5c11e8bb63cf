// Elements go back to where they were the largest of a window, in planes. C++11.
#ifndef ACLNNOP_ACLNN_MAX_UNPOOL2D_H_
#define ACLNNOP_ACLNN_MAX_UNPOOL2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out[indices[i]] = self[i] in each plane, 0 elsewhere. Of equal indices the last counts. Phase 1.
//
//   self           in   [N, C, H, W] or [C, H, W], strided; dtypes:
//                       `aclimb ops max_unpool2d`
//   indices        in   INT64 or INT32, shape of self, strided: numbers of elements of a plane of
//                       out, row by row
//   outputSize     in   height and width of out, as many elements as a plane of self has
//                       at least
//   out            out  shape of self with outputSize in place of H and W, dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a rank, a shape, how many numbers outputSize
//            has, a number outside its range, a blocked format
ACLNN_API aclnnStatus aclnnMaxUnpool2dGetWorkspaceSize(const aclTensor* self,
                                                       const aclTensor* indices,
                                                       const aclIntArray* outputSize,
                                                       aclTensor* out, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor. An index that is outside of its
// plane fails the run.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMaxUnpool2d(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MAX_UNPOOL2D_H_
