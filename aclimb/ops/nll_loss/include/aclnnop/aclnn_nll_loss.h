// Negative log-likelihood loss. C++11.
#ifndef ACLNNOP_ACLNN_NLL_LOSS_H_
#define ACLNNOP_ACLNN_NLL_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. With t the target of a position and w = weight[t], 0 for an ignored position:
//   loss            = -w * self[t] of the position
//   totalWeightOut  = the sum of all w
//   out             = all losses for reduction 0, their sum for 2, and for 1 their sum divided by
//                     totalWeightOut: NaN if that is 0
//
//   self            in   [N, C] or [C], log-probabilities; FLOAT, FLOAT16 or BF16, strided
//   target          in   [N] or rank 0, classes; INT64, INT32 or UINT8. A position whose target is
//                        ignoreIndex, or outside [0, C), is ignored; the latter fails
//                        the run (507015)
//   weight          in   [C], dtype of self
//   reduction       in   0 none, 1 mean, 2 sum
//   ignoreIndex     in   target value to leave out, of any sign
//   out             out  shape of target for reduction 0, else rank 0 or [1]; dtype of self
//   totalWeightOut  out  rank 0 or [1]; dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit,
//                   another reduction
ACLNN_API aclnnStatus aclnnNLLLossGetWorkspaceSize(const aclTensor* self, const aclTensor* target,
                                                   const aclTensor* weight, int64_t reduction,
                                                   int64_t ignoreIndex, aclTensor* out,
                                                   aclTensor* totalWeightOut,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnNLLLoss(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_NLL_LOSS_H_
