// Gradient of aclnnMaxPool3dWithArgmax. C++11.
#ifndef ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_BACKWARD_H_
#define ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// gradInput is, for each element, the sum of the gradients of the windows whose maximum it is.
// Phase 1.
//   gradOutput  in   gradient of the forward output, of its shape; strided; dtypes:
//                    `aclimb ops max_pool3d_with_argmax_backward`
//   self        in   the forward input: its shape alone matters; dtype of gradOutput
//   indices     in   INT32, that the forward call wrote; what is outside of the volume adds nothing
//   kernelSize, stride, padding, dilation, ceilMode
//               in   of the forward call
//   gradInput   out  shape and dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a rank, a shape, how many numbers there are,
//            a number outside its range, a window that does not fit, a blocked format
ACLNN_API aclnnStatus aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMaxPool3dWithArgmaxBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_BACKWARD_H_
