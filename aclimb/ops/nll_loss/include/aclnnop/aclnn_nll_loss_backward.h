// Gradient of aclnnNLLLoss with respect to self. C++11.
#ifndef ACLNNOP_ACLNN_NLL_LOSS_BACKWARD_H_
#define ACLNNOP_ACLNN_NLL_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. With t the target of a position, out is -weight[t] * gradOutput at t, divided by
// totalWeight for reduction 1, and zero for the other classes and for ignored positions.
//
//   gradOutput     in   shape of target for reduction 0, else rank 0 or [1]; dtype of self
//   self           in   [N, C] or [C], of which only shape and dtype count; FLOAT, FLOAT16 or BF16
//   target         in   [N] or rank 0, classes; INT64, INT32 or UINT8. A position whose target is
//                       ignoreIndex, or outside [0, C), is ignored; the latter fails
//                       the run (507015)
//   weight         in   [C], dtype of self
//   reduction      in   0 none, 1 mean, 2 sum
//   ignoreIndex    in   target value to leave out, of any sign
//   totalWeight    in   rank 0 or [1], as the forward call returned it; dtype of self
//   out            out  shape and dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit,
//                   another reduction, Ascend310P, which does not have the operator
ACLNN_API aclnnStatus aclnnNLLLossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
    const aclTensor* weight, int64_t reduction, int64_t ignoreIndex, const aclTensor* totalWeight,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnNLLLossBackward(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_NLL_LOSS_BACKWARD_H_
