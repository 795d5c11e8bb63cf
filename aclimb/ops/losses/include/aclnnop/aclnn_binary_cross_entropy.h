// Cross-entropy of probabilities for two classes. C++11.
#ifndef ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_H_
#define ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. -weight * (target * log(self) + (1 - target) * log(1 - self)), where no logarithm is
// below -100; the mean of all or their sum.
//   self           in   rank 0 to 8, strided; FLOAT, FLOAT16 or BF16
//   target         in   shape and dtype of self
//   weight         in   factor of each loss, broadcasts to self; null means 1
//   reduction      in   0 none, 1 mean (NaN of nothing), 2 sum
//   out            out  for reduction 0 the shape of self, else rank 0 or [1]; dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnBinaryCrossEntropyGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, const aclTensor* weight, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnBinaryCrossEntropy(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_H_
