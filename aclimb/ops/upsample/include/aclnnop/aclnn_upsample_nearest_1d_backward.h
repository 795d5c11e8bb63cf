// Gradient of lines in another length, by the nearest elements. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_NEAREST_1D_BACKWARD_H_
#define ACLNNOP_ACLNN_UPSAMPLE_NEAREST_1D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = gradient of aclnnUpsampleNearest1d with respect to its input. Phase 1.
//
//   gradOut        in   N and C of inputSize and the length in outputSize, strided; dtypes:
//                       `aclimb ops upsample_nearest1d_backward`
//   outputSize     in   one number, the length of gradOut
//   inputSize      in   shape of the forward input
//   scales         in   0, what is below, or 1: the quotient of the lengths, as the forward
//                       function, which has no factor, takes it. Another number, as PyTorch passes
//                       its scale factor: the source of element o is floor(o / scales), so that the
//                       result is the gradient of PyTorch's forward and not of
//                       aclnnUpsampleNearest1d. As in PyTorch it does not count where gradOut is
//                       as long as the input or twice as long
//   out            out  of the shape in inputSize; dtype of gradOut, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, another rank than 3, a shape, lines without
//            elements, another count of sizes, one outside its range, another format than NCL
ACLNN_API aclnnStatus aclnnUpsampleNearest1dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    double scales, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUpsampleNearest1dBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UPSAMPLE_NEAREST_1D_BACKWARD_H_
