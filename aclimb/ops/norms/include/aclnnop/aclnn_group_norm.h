// Normalization of groups of channels, as torch.nn.functional.group_norm. C++11.
#ifndef ACLNNOP_ACLNN_GROUP_NORM_H_
#define ACLNNOP_ACLNN_GROUP_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Shifts and scales groups of channels of each sample to mean 0 and variance 1, then channels by
// gamma and beta. Phase 1.
//   self     in    N * C * HxW elements, strided
//   gamma    in    [C], may be null: ones
//   beta     in    [C], may be null: zeros
//   N        in    samples
//   C        in    channels, a multiple of group
//   HxW      in    elements of a channel of a sample
//   group    in    groups of neighbouring channels
//   eps      in    is added to the variance, which divides by the number of elements
//   out      out   shape and dtype of self; may be self itself
//   meanOut  out   N * group elements, dtype of self or FLOAT
//   rstdOut  out   N * group elements, 1 / sqrt(variance + eps), dtype of meanOut
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnGroupNormGetWorkspaceSize(const aclTensor* self, const aclTensor* gamma,
                                                     const aclTensor* beta, int64_t N, int64_t C,
                                                     int64_t HxW, int64_t group, double eps,
                                                     aclTensor* out, aclTensor* meanOut,
                                                     aclTensor* rstdOut, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnGroupNorm(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GROUP_NORM_H_
