// The mean of each window of volumes. C++11.
#ifndef ACLNNOP_ACLNN_AVGPOOL3D_H_
#define ACLNNOP_ACLNN_AVGPOOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = the sum of each window, divided by how many elements it has. Phase 1.
//
//   self             in   [N, C, D, H, W] or [C, D, H, W], strided; dtypes: `aclimb ops avg_pool3d`
//   kernelSize       in   one number for all dimensions of windows, or three
//   stride           in   the same, or none: those of kernelSize
//   padding          in   one number or three, half of a window at most: zeros
//   ceilMode         in   one more window for what is left over, unless it begins in the padding
//   countIncludePad  in   whether elements in the padding count
//   divisorOverride  in   what sums are divided by instead, unless it is 0
//   out              out  [N, C, outD, outH, outW] or without N, dtype of self, strided
//   workspaceSize    out  bytes of device memory for phase 2
//   executor         out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank, a shape, how many numbers there are, a number outside its
//                   range, a window that does not fit, a blocked format
ACLNN_API aclnnStatus aclnnAvgPool3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, bool ceilMode, bool countIncludePad, int64_t divisorOverride,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAvgPool3d(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_AVGPOOL3D_H_
