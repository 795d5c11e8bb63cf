// Images in another size, by interpolation between four elements. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_BILINEAR_2D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_BILINEAR_2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self in another size: element o lies at (o + 0.5) * m / n - 0.5 between elements of a
// dimension, at least 0, when n elements are made of m; with alignCorners at o * (m - 1) / (n - 1).
// Phase 1.
//
//   self           in   [N, C, H, W], strided; dtypes: `aclimb ops upsample_bilinear2d`
//   outputSize     in   height and width of out
//   alignCorners   in   whether the centers of the corners stay where they are
//   scalesH        in   n / m of the height, where that is not quite the quotient; 0, what is
//                       below, and 1: the quotient
//   scalesW        in   the same of the width
//   out            out  N and C of self and the new size; dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, another rank than 4, a shape, an image
//            without elements, other than two numbers of outputSize, one below 1, another format
//            than NCHW
ACLNN_API aclnnStatus aclnnUpsampleBilinear2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, const bool alignCorners,
    const double scalesH, const double scalesW, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUpsampleBilinear2d(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UPSAMPLE_BILINEAR_2D_H_
