// The gradient of aclnnCtcLoss. C++11.
#ifndef ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H_
#define ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The gradient of the losses of aclnnCtcLoss, of logProbs as a softmax makes them, as
// PyTorch has it.
//
//   gradOut            in   [N] in the dtype of logProbs
//   logProbs, targets, inputLengths, targetLengths, blank
//                      in   those of aclnnCtcLoss
//   negLogLikelihood   in   [N], its losses
//   logAlpha           in   [N, T, X], its other result
//   zeroInfinity       in   whether the gradient of an infinite loss is 0
//   out                out  shape and dtype of logProbs; zeros behind the steps of a sequence
//   workspaceSize      out  bytes of device memory for phase 2
//   executor           out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, another shape, a number out of its range
ACLNN_API aclnnStatus aclnnCtcLossBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* logProbs, const aclTensor* targets,
    const aclIntArray* inputLengths, const aclIntArray* targetLengths,
    const aclTensor* negLogLikelihood, const aclTensor* logAlpha, int64_t blank, bool zeroInfinity,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnCtcLossBackward(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H_
