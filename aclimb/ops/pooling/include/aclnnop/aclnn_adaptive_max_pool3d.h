// The largest numbers of windows that share volumes equally. C++11.
#ifndef ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H_
#define ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// outputOut = the largest number of each window, indicesOut = where it stands: window o of n along
// a dimension of m elements has those from floor(o * m / n) to ceil((o + 1) * m / n) - 1. Phase 1.
//
//   self           in   [N, C, D, H, W] or [C, D, H, W], strided; dtypes:
//                       `aclimb ops adaptive_max_pool3d`
//   outputSize     in   how many windows there are along D, H and W
//   outputOut      out  [N, C, outD, outH, outW] or without N, dtype of self, strided; a NaN
//                       counts as the largest
//   indicesOut     out  INT32, shape of outputOut, strided: (z * H + y) * W + x of each maximum.
//                       Of equal numbers the first counts, of NaNs the last
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank, a shape, other than three numbers of outputSize, one below 0,
//                   a blocked format
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
    aclTensor* indicesOut, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3d(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H_
