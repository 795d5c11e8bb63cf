// Gradients of aclnnGridSampler3D. C++11.
#ifndef ACLNNOP_ACLNN_GRID_SAMPLER3D_BACKWARD_H_
#define ACLNNOP_ACLNN_GRID_SAMPLER3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. As PyTorch's: no gradient leads to a place beyond the ends where the padding repeats
// what is there, nor to one of the nearest elements.
//
//   gradOutput         in   gradient of the forward result, [N, C, O, P, Q]; dtype of input
//   input              in   of the forward call, [N, C, D, H, W]; dtypes:
//                           `aclimb ops grid_sampler3d_backward`
//   grid               in   of the forward call, [N, O, P, Q, 3]; dtype of input
//   interpolationMode  in   of the forward call: 0 linear, 1 nearest
//   paddingMode        in   of the forward call: 0 zeros, 1 border, 2 reflection
//   alignCorners       in   of the forward call
//   outputMask         in   two: whether inputGrad and gridGrad are written
//   inputGrad          out  shape and dtype of input
//   gridGrad           out  shape and dtype of grid
//   workspaceSize      out  bytes of device memory for phase 2
//   executor           out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, a shape, a mode or a mask that does not fit
ACLNN_API aclnnStatus aclnnGridSampler3DBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* input, const aclTensor* grid,
    int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
    const aclBoolArray* outputMask, aclTensor* inputGrad, aclTensor* gridGrad,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnGridSampler3DBackward(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GRID_SAMPLER3D_BACKWARD_H_
