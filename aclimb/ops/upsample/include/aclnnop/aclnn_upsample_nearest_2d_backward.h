// Gradient of images in another size, by the nearest elements. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_BACKWARD_H_
#define ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// gradInput = gradient of aclnnUpsampleNearest2d with respect to its input. Phase 1.
//
//   gradOut        in   N and C of inputSize and the size in outputSize, strided; dtypes:
//                       `aclimb ops upsample_nearest2d_backward`
//   outputSize     in   height and width of gradOut
//   inputSize      in   shape of the forward input
//   scalesH        in   0, what is below, or 1: the quotient of the sizes, as the forward function,
//                       which has no factor, takes it. Another number, as PyTorch passes its scale
//                       factor: the source of element o is floor(o / scalesH), so that the result
//                       is the gradient of PyTorch's forward and not of aclnnUpsampleNearest2d.
//                       As in PyTorch it does not count where gradOut is as high as the input or
//                       twice as high
//   scalesW        in   the same for its width
//   gradInput      out  of the shape in inputSize; dtype of gradOut, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, another rank than 4, a shape, an image
//            without elements, other than two and four numbers of sizes, another format than NCHW
ACLNN_API aclnnStatus aclnnUpsampleNearest2dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    double scalesH, double scalesW, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUpsampleNearest2dBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_BACKWARD_H_
