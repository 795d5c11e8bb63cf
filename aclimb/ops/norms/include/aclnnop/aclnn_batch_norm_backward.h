// Gradients of a normalization of the channels of a batch. C++11.
#ifndef ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_H_
#define ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gradients of aclnnBatchNorm with respect to input, weight and bias. Phase 1.
//   gradOut      in    gradient of the forward output: shape and dtype of input
//   input        in    [N, C, ...], the forward input
//   weight       in    [C], may be null: ones
//   runningMean  in    [C], read when training is false; may be null: zeros
//   runningVar   in    [C], read when training is false; may be null: ones
//   saveMean     in    [C], what the forward call returned; read when training
//   saveInvstd   in    [C], what the forward call returned; read when training
//   training     in    as in the forward call
//   eps          in    as in the forward call; read when training is false
//   outputMask   in    three flags: which of the outputs to write; the others may be null
//   gradInput    out   shape and dtype of input
//   gradWeight   out   [C]
//   gradBias     out   [C]
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnBatchNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclTensor* weight,
    const aclTensor* runningMean, const aclTensor* runningVar, const aclTensor* saveMean,
    const aclTensor* saveInvstd, bool training, double eps, const aclBoolArray* outputMask,
    aclTensor* gradInput, aclTensor* gradWeight, aclTensor* gradBias, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnBatchNormBackward(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_H_
