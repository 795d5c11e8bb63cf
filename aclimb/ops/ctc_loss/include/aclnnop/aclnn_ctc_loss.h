// The loss of connectionist temporal classification. C++11.
#ifndef ACLNNOP_ACLNN_CTC_LOSS_H_
#define ACLNNOP_ACLNN_CTC_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. For each sequence, -log of the probability that its steps spell its labels, with blanks
// between them and each label or blank once or more in a row.
//
//   logProbs             in   [T, N, C], logarithms of probabilities; FLOAT or DOUBLE
//   targets              in   [N, S], labels from 0 to C - 1, or [the sum of targetLengths], those
//                             of all sequences one behind the other; for other labels the run
//                             fails (507015)
//   inputLengths         in   N numbers from 0 to T: the steps of each sequence
//   targetLengths        in   N numbers from 0: the labels of each sequence, at most S
//   blank                in   0 to C - 1: the class that is no label
//   zeroInfinity         in   for the gradient: here a loss that is infinite stays so, as in
//                             PyTorch's _ctc_loss
//   negLogLikelihoodOut  out  [N] in the dtype of logProbs, the losses; infinite where there are
//                             too few steps
//   logAlphaOut          out  [N, T, X] with X at least 2 * the largest of targetLengths + 1, in
//                             the dtype of logProbs: for the gradient; -inf where nothing is told
//   workspaceSize        out  bytes of device memory for phase 2
//   executor             out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, another shape, a number out of its range
ACLNN_API aclnnStatus aclnnCtcLossGetWorkspaceSize(
    const aclTensor* logProbs, const aclTensor* targets, const aclIntArray* inputLengths,
    const aclIntArray* targetLengths, int64_t blank, bool zeroInfinity,
    aclTensor* negLogLikelihoodOut, aclTensor* logAlphaOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnCtcLoss(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CTC_LOSS_H_
