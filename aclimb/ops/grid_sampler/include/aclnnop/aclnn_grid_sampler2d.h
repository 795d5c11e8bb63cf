// Elements of images at places that a grid names. C++11.
#ifndef ACLNNOP_ACLNN_GRID_SAMPLER2D_H_
#define ACLNNOP_ACLNN_GRID_SAMPLER2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out[n, c, p, q] lies in input[n, c] at the place grid[n, p, q] = (x, y): -1 is the left
// and upper end, 1 the right and lower end. Places are computed in float32, of DOUBLE in float64.
//
//   input              in   [N, C, H, W] with H and W above 0; dtypes: `aclimb ops grid_sampler2d`
//   grid               in   [N, P, Q, 2]; dtype of input
//   interpolationMode  in   0: between four elements (bilinear), 1: the nearest, 2: by a cubic
//                           curve through four by four (bicubic, a = -0.75)
//   paddingMode        in   beyond the ends are 0: zeros, 1: the elements at the ends, 2: the image
//                           reflected
//   alignCorners       in   whether the ends are the centers of the outer elements, or their edges
//   out                out  [N, C, P, Q]; dtype of input
//   workspaceSize      out  bytes of device memory for phase 2
//   executor           out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, a shape or a mode that does not fit
ACLNN_API aclnnStatus aclnnGridSampler2DGetWorkspaceSize(
    const aclTensor* input, const aclTensor* grid, int64_t interpolationMode, int64_t paddingMode,
    bool alignCorners, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnGridSampler2D(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GRID_SAMPLER2D_H_
