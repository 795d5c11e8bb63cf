// Gradient of aclnnUpsampleNearest3d. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_BACKWARD_H_
#define ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// The gradient of aclnnUpsampleNearest3d with respect to its input. Phase 1.
//
//   gradOut        in   gradient of the forward output, of its shape; strided; dtypes:
//                       `aclimb ops upsample_nearest3d_backward`
//   outputSize     in   three numbers, the size of gradOut behind N and C
//   inputSize      in   the shape of the forward input
//   scalesD, scalesH, scalesW
//                  in   of the forward call. As in PyTorch one does not count where gradOut is as
//                       large along its axis as the input or twice as large
//   gradInput      out  of the shape in inputSize; dtype of gradOut, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, another rank than 5, a shape, volumes
//            without elements, another count of sizes, one outside its range, another format than
//            NCDHW
ACLNN_API aclnnStatus aclnnUpsampleNearest3dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    double scalesD, double scalesH, double scalesW, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUpsampleNearest3dBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_BACKWARD_H_
