// The largest number of each window of volumes. C++11.
#ifndef ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_H_
#define ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// The largest number of each window, and its index in the volume. Phase 1.
//   self        in   [N, C, D, H, W] or [C, D, H, W], strided; dtypes:
//                    `aclimb ops max_pool3d_with_argmax`
//   kernelSize  in   one number for all dimensions of windows, or three
//   stride      in   the same, or none: that of kernelSize
//   padding     in   one number or three, half of a window at most: infinities below all numbers
//   dilation    in   one number or three: how far elements of a window are apart
//   ceilMode    in   one more window for what is left over, unless it begins in the padding
//   out         out  self's shape with a number for each window, dtype of self, strided
//   indices     out  INT32, shape of out: (z * H + y) * W + x of each maximum
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a rank, a shape, how many numbers there are,
//            a number outside its range, a window that does not fit, a blocked format
// A NaN is larger than all numbers, the last of several tells the index. Of equal numbers it is the
// first. A window all of whose elements are in the padding gives -inf and no index (-1).
ACLNN_API aclnnStatus aclnnMaxPool3dWithArgmaxGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
    aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMaxPool3dWithArgmax(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_H_
