// Volumes in another size, by interpolation between eight elements. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR_3D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR_3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self in another size: element o of n lies at (o + 0.5) * m / n - 0.5 between the m of self
// along an axis, at least 0; with alignCorners at o * (m - 1) / (n - 1). Phase 1.
//
//   self           in   [N, C, D, H, W], strided; dtypes: `aclimb ops upsample_trilinear3d`
//   outputSize     in   three numbers, the size of out behind N and C
//   alignCorners   in   whether the centers of the elements in the corners stay where they are
//   scalesD, scalesH, scalesW
//                  in   n / m, where that is not quite the quotient; 0, what is below, and 1: the
//                       quotient
//   out            out  N and C of self and the new size; dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, another rank than 5, a shape, volumes
//            without elements, another count of sizes, one outside its range, another format than
//            NCDHW
ACLNN_API aclnnStatus aclnnUpsampleTrilinear3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scalesD,
    double scalesH, double scalesW, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUpsampleTrilinear3d(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR_3D_H_
