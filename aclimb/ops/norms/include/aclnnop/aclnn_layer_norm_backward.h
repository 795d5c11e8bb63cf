// Gradients of a normalization of rows. C++11.
#ifndef ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H_
#define ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gradients of aclnnLayerNorm with respect to input, weight and bias. Phase 1.
//   gradOut          in    gradient of the forward output: shape and dtype of input
//   input            in    [A..., normalizedShape...], the forward input
//   normalizedShape  in    as in the forward call
//   mean             in    [A..., 1...], what the forward call returned
//   rstd             in    [A..., 1...], what the forward call returned
//   weightOptional   in    [normalizedShape...], may be null: ones
//   biasOptional     in    the forward bias, may be null; it is not read
//   outputMask       in    three flags: which of the outputs to write; the others may be null
//   gradInputOut     out   shape and dtype of input
//   gradWeightOut    out   [normalizedShape...]
//   gradBiasOut      out   [normalizedShape...]
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclIntArray* normalizedShape,
    const aclTensor* mean, const aclTensor* rstd, const aclTensor* weightOptional,
    const aclTensor* biasOptional, const aclBoolArray* outputMask, aclTensor* gradInputOut,
    aclTensor* gradWeightOut, aclTensor* gradBiasOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnLayerNormBackward(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H_
