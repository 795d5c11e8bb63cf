// Gradient of aclnnMaxUnpool2d. C++11.
#ifndef ACLNNOP_ACLNN_MAX_UNPOOL2D_BACKWARD_H_
#define ACLNNOP_ACLNN_MAX_UNPOOL2D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out[i] = gradOutput[indices[i]] in each plane: the gradient of aclnnMaxUnpool2d with respect to
// its input. Phase 1.
//
//   gradOutput     in   shape of the forward output, strided; dtypes:
//                       `aclimb ops max_unpool2d_backward`
//   self           in   the forward input: dtype and shape alone matter
//   indices        in   of the forward call, INT64 or INT32, strided
//   outputSize     in   of the forward call
//   out            out  shape of self, strided, of a dtype that that of gradOutput converts to
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a rank, a shape, how many numbers outputSize
//            has, a number outside its range, a blocked format
ACLNN_API aclnnStatus aclnnMaxUnpool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* outputSize, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor. An index that is outside of its
// plane fails the run.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMaxUnpool2dBackward(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MAX_UNPOOL2D_BACKWARD_H_
