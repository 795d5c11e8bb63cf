// Gradient of the mean of each window of volumes. C++11.
#ifndef ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H_
#define ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// output = gradient of aclnnAvgPool3d with respect to its input. Phase 1.
//
//   gradOutput     in   shape of the forward output, strided; dtypes:
//                       `aclimb ops avg_pool3d_backward`
//   self           in   the forward input: dtype and shape alone matter
//   kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride
//                  in   of the forward call
//   output         out  shape and dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank, a shape, how many numbers there are, a number outside its
//                   range, a window that does not fit, a blocked format
ACLNN_API aclnnStatus aclnnAvgPool3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
    const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad,
    int64_t divisorOverride, aclTensor* output, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAvgPool3dBackward(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H_
