// A column of the elements of each window. C++11.
#ifndef ACLNNOP_ACLNN_IM2COL_H_
#define ACLNNOP_ACLNN_IM2COL_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = for each channel kH * kW rows, which have an element of each window. Phase 1.
//
//   self           in   [N, C, H, W] or [C, H, W], strided; dtypes: `aclimb ops im2col`
//   kernelSize     in   height and width of windows
//   dilation       in   how far elements of a window are apart
//   padding        in   zeros above and below, left and right
//   stride         in   from window to window
//   out            out  [N, C * kH * kW, windows], or without N; dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank, a shape, other than two numbers, a number outside its range, a
//                   window that does not fit, a blocked format
ACLNN_API aclnnStatus aclnnIm2colGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* dilation,
    const aclIntArray* padding, const aclIntArray* stride, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIm2col(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_IM2COL_H_
