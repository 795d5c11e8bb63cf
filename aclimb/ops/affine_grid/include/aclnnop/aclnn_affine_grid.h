// Grids of the places that affine maps send the elements of images to. C++11.
#ifndef ACLNNOP_ACLNN_AFFINE_GRID_H_
#define ACLNNOP_ACLNN_AFFINE_GRID_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out[n, h, w] = theta[n] (x, y, 1), where x and y are the place of element [h, w] of an
// image: -1 is the left and upper end, 1 the right and lower end; of volumes
// out[n, d, h, w] = theta[n] (x, y, z, 1). aclnnGridSampler2D and aclnnGridSampler3D take out as
// their grid. Computed in double, and rounded once.
//
//   theta          in   [N, 2, 3], of volumes [N, 3, 4]; dtypes: `aclimb ops affine_grid`
//   size           in   [N, C, H, W], of volumes [N, C, D, H, W], each at least 1; C does not count
//   alignCorners   in   whether the ends are the centers of the outer elements, or their edges
//   out            out  [N, H, W, 2], of volumes [N, D, H, W, 3]; dtype of theta
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, a shape or a size that does not fit
ACLNN_API aclnnStatus aclnnAffineGridGetWorkspaceSize(const aclTensor* theta,
                                                      const aclIntArray* size, bool alignCorners,
                                                      aclTensor* out, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAffineGrid(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_AFFINE_GRID_H_
