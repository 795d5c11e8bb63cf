// Gradients of a normalization of rows by their mean square. C++11.
#ifndef ACLNNOP_ACLNN_RMS_NORM_GRAD_H_
#define ACLNNOP_ACLNN_RMS_NORM_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gradients of aclnnRmsNorm with respect to x and gamma. Phase 1.
//   dy         in    gradient of the forward output: shape and dtype of x
//   x          in    the forward input
//   rstd       in    what the forward call returned
//   gamma      in    the last dimensions of x
//   dxOut      out   shape and dtype of x
//   dgammaOut  out   shape of gamma, FLOAT
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnRmsNormGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* x, const aclTensor* rstd, const aclTensor* gamma,
    const aclTensor* dxOut, const aclTensor* dgammaOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRmsNormGrad(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RMS_NORM_GRAD_H_
