// The mean of each window. C++11.
#ifndef ACLNNOP_ACLNN_AVGPOOL2D_H_
#define ACLNNOP_ACLNN_AVGPOOL2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = the sum of each window, divided by how many elements it has. Phase 1.
//
//   self             in   [N, C, H, W] or [C, H, W], strided; dtypes: `aclimb ops avg_pool2d`
//   kernelSize       in   one number for both dimensions of windows, or two
//   strides          in   the same, or none: those of kernelSize
//   paddings         in   one number or two, half of a window at most: zeros
//   ceilMode         in   one more window for what is left over, unless it begins in the padding
//   countIncludePad  in   whether elements in the padding count
//   divisorOverride  in   what sums are divided by instead, unless it is 0
//   cubeMathType     in   0 keep the dtype; 1, 2, 3 allow less precision, which is not used
//   out              out  [N, C, outH, outW] or [C, outH, outW], dtype of self, strided
//   workspaceSize    out  bytes of device memory for phase 2
//   executor         out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank, a shape, how many numbers there are, a number outside its
//                   range, a window that does not fit, a blocked format
ACLNN_API aclnnStatus aclnnAvgPool2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* strides,
    const aclIntArray* paddings, const bool ceilMode, const bool countIncludePad,
    const int64_t divisorOverride, const int8_t cubeMathType, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAvgPool2d(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_AVGPOOL2D_H_
