// Gradient of aclnnCrossEntropyLoss with respect to the logits. C++11.
#ifndef ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_GRAD_H_
#define ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. With P = exp(logProb), t the target and w_n = weight[t_n], 0 for an ignored row:
//   xGradOut[n, c] = gradLoss * w_n / D * (P[n, c] - (c == t_n))
// where D is the sum of all w_n for "mean" and 1 otherwise.
//
//   gradLoss                in   [N] for "none", else rank 0 or [1]; FLOAT, FLOAT16 or BF16
//   logProb                 in   [N, C], log-softmax of the logits; dtype of gradLoss
//   target                  in   [N], classes; INT64 or INT32. Rows whose target is ignoreIndex, or
//                                outside [0, C), get a zero gradient
//   weightOptional          in   [C] FLOAT, or null for all ones
//   gradZlossOptional       in   null, or shape and dtype of gradLoss
//   lseForZlossOptional     in   null, or [N] of gradLoss's dtype
//   reduction               in   "none", "mean" or "sum"; null means "mean"
//   ignoreIndex             in   target value to leave out, of any sign
//   labelSmoothing          in   0.0; with ACLIMB_EXTENSIONS=1 also up to 1.0
//   lseSquareScaleForZloss  in   0.0; with ACLIMB_EXTENSIONS=1 any
//   xGradOut                out  [N, C], dtype of gradLoss, fully written
//   workspaceSize           out  bytes of device memory for phase 2
//   executor                out  for phase 2
//   returns  161001 a required pointer is null
//            161002 a dtype that is not listed or not gradLoss's, another reduction, a value or
//                   tensor that needs ACLIMB_EXTENSIONS=1, a chip without this operator
//                   (Ascend310P, Ascend910)
//            561002 a shape that does not fit
//
// The operator's document prints `float` for the two factors; programs built against the shipped
// header pass `double`, which a call with `float` arguments fits as well.
ACLNN_API aclnnStatus aclnnCrossEntropyLossGradGetWorkspaceSize(
    const aclTensor* gradLoss, const aclTensor* logProb, const aclTensor* target,
    const aclTensor* weightOptional, const aclTensor* gradZlossOptional,
    const aclTensor* lseForZlossOptional, const char* reduction, int64_t ignoreIndex,
    double labelSmoothing, double lseSquareScaleForZloss, aclTensor* xGradOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  161001 null executor, or null workspace although phase 1 asked for one
//            161002 workspace smaller than phase 1 said, an address outside device memory, or
//                   an executor of another operator
//            361001 no context, or a stream of another one
//            561103 an executor that has already run
ACLNN_API aclnnStatus aclnnCrossEntropyLossGrad(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_GRAD_H_
