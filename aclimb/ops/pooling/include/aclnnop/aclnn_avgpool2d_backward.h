// Gradient of the mean of each window. C++11.
#ifndef ACLNNOP_ACLNN_AVGPOOL2D_BACKWARD_H_
#define ACLNNOP_ACLNN_AVGPOOL2D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// gradInput = gradient of aclnnAvgPool2d with respect to its input. Phase 1.
//
//   gradOutput     in   shape of the forward output, strided; dtypes:
//                       `aclimb ops avg_pool2d_backward`
//   self           in   the forward input: dtype and shape alone matter
//   kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride
//                  in   of the forward call
//   cubeMathType   in   0 keep the dtype; 1, 2, 3 allow less precision, which is not used
//   gradInput      out  shape and dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank, a shape, how many numbers there are, a number outside its
//                   range, a window that does not fit, a blocked format
ACLNN_API aclnnStatus aclnnAvgPool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
    const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad,
    int64_t divisorOverride, int8_t cubeMathType, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAvgPool2dBackward(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_AVGPOOL2D_BACKWARD_H_
