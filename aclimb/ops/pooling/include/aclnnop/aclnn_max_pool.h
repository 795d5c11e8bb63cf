// The largest number of each window. C++11.
#ifndef ACLNNOP_ACLNN_MAX_POOL_H_
#define ACLNNOP_ACLNN_MAX_POOL_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = the largest number of each window. Phase 1.
//
//   self           in   [N, C, H, W] or [C, H, W], strided; dtypes: `aclimb ops max_pool`
//   kernelShape    in   one number for both dimensions of windows, or two
//   strides        in   the same, or none: those of kernelShape
//   autoPad        in   0
//   pads           in   none, one number, two, or four for top, bottom, left and right; half of a
//                       window at most: infinities below all numbers
//   dilations      in   ones, four at most
//   ceilMode       in   not 0: one more window for what is left over, unless it begins in the
//                       padding
//   out            out  [N, C, outH, outW] or [C, outH, outW], dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank, a shape, how many numbers there are, a number outside its
//                   range, a window that does not fit, a blocked format
ACLNN_API aclnnStatus aclnnMaxPoolGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelShape, const aclIntArray* strides,
    const int64_t autoPad, const aclIntArray* pads, const aclIntArray* dilations,
    const int64_t ceilMode, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMaxPool(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MAX_POOL_H_
