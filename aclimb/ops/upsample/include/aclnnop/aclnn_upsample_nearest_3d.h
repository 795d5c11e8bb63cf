// Volumes in another size, by repeating the nearest elements. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self in another size: element o of n is number floor(o * m / n) of the m of self along an
// axis. Phase 1.
//
//   self           in   [N, C, D, H, W], strided; dtypes: `aclimb ops upsample_nearest3d`
//   outputSize     in   three numbers, the size of out behind N and C
//   scalesD, scalesH, scalesW
//                  in   n / m, where that is not quite the quotient; 0, what is below, and 1: the
//                       quotient
//   out            out  N and C of self and the new size; dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, another rank than 5, a shape, volumes
//            without elements, another count of sizes, one outside its range, another format than
//            NCDHW
ACLNN_API aclnnStatus aclnnUpsampleNearest3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, double scalesD, double scalesH,
    double scalesW, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUpsampleNearest3d(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_H_
