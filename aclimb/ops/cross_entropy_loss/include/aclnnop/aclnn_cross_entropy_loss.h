// Cross-entropy loss of logits against classes. C++11.
#ifndef ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_H_
#define ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. With t the target of row n and w_n = weightOptional[t], 0 for an ignored row:
//   logProbOut[n, c] = input[n, c] - lse_n      lse_n = log(sum over c of exp(input[n, c]))
//   loss_n           = -w_n * logProbOut[n, t]
//   lossOut          = all loss_n for "none", their sum for "sum", and for "mean" their sum divided
//                      by the sum of all w_n: NaN if that is 0
//
//   input                   in   [N, C], logits; FLOAT, FLOAT16 or BF16, strided
//   target                  in   [N], classes; INT64 or INT32. A row whose target is ignoreIndex,
//                                or outside [0, C), is ignored; the latter fails the run (507015)
//   weightOptional          in   [C] FLOAT, or null for all ones
//   reductionOptional       in   "none", "mean" or "sum"; null means "mean"
//   ignoreIndex             in   target value to leave out, of any sign
//   labelSmoothing          in   0.0; with ACLIMB_EXTENSIONS=1 also up to 1.0
//   lseSquareScaleForZloss  in   0.0; with ACLIMB_EXTENSIONS=1 any
//   returnZloss             in   false; with ACLIMB_EXTENSIONS=1 also true, and then both outputs
//                                below have to be given
//   lossOut                 out  [N] for "none", else rank 0 or [1]; dtype of input
//   logProbOut              out  [N, C], dtype of input; may be input itself
//   zlossOut                out  null, empty, or shape and dtype of lossOut: what z-loss adds to it
//   lseForZlossOut          out  null, empty, or [N] of the dtype of input: all lse_n
//   workspaceSize           out  bytes of device memory for phase 2
//   executor                out  for phase 2
//   returns  161001 a required pointer is null
//            161002 a dtype that is not listed or not input's, another reduction, a value that
//                   needs ACLIMB_EXTENSIONS=1, a chip without this operator (Ascend310P, Ascend910)
//            561002 a shape that does not fit
//
// The operator's document prints `char *reductionOptional`; a literal needs `const`.
ACLNN_API aclnnStatus aclnnCrossEntropyLossGetWorkspaceSize(
    const aclTensor* input, const aclTensor* target, const aclTensor* weightOptional,
    const char* reductionOptional, int64_t ignoreIndex, double labelSmoothing,
    double lseSquareScaleForZloss, bool returnZloss, const aclTensor* lossOut,
    const aclTensor* logProbOut, const aclTensor* zlossOut, const aclTensor* lseForZlossOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnCrossEntropyLoss(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_H_
