// Draws categories by their weights. C++11.
#ifndef ACLNNOP_ACLNN_MULTINOMIAL_H_
#define ACLNNOP_ACLNN_MULTINOMIAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = categories that are drawn by their weights; one of weight 0 is drawn only when, without
// replacement, no other is left. A row with a weight that is negative, infinite or NaN, or whose
// weights are all 0, gets zeros, and the run fails with 507015 (at the synchronize), as PyTorch
// refuses such weights. Equal seed and offset give equal numbers on every computer; they are not
// those of the NPU. Phase 1.
//
//   self           in   [C] or [N, C], strided: weights, finite, 0 or more; FLOAT, FLOAT16, DOUBLE
//                       or BF16
//   numSamples     in   1 or more; without replacement C at most
//   replacement    in   whether a category may be drawn again
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   out            out  [numSamples] or [N, numSamples], INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnMultinomialGetWorkspaceSize(const aclTensor* self, int64_t numSamples,
                                                       bool replacement, int64_t seed,
                                                       int64_t offset, aclTensor* out,
                                                       uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMultinomial(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MULTINOMIAL_H_
