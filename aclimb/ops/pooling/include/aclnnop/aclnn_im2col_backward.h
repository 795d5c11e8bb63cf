// Planes that are sums of columns. C++11.
#ifndef ACLNNOP_ACLNN_IM2COL_BACKWARD_H_
#define ACLNNOP_ACLNN_IM2COL_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = sums of the elements that aclnnIm2col would have made of each element. Phase 1.
//
//   gradOutput     in   [N, C * kH * kW, windows], or without N, strided; dtypes:
//                       `aclimb ops im2col_backward`
//   inputSize      in   height and width of out
//   kernelSize, dilation, padding, stride  in  as of aclnnIm2col
//   out            out  [N, C, H, W] or [C, H, W]; dtype of gradOutput, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank, a shape, other than two numbers, a number outside its range, a
//                   window that does not fit, a blocked format
ACLNN_API aclnnStatus aclnnIm2colBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclIntArray* inputSize, const aclIntArray* kernelSize,
    const aclIntArray* dilation, const aclIntArray* padding, const aclIntArray* stride,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIm2colBackward(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_IM2COL_BACKWARD_H_
