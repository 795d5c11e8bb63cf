// Normalization of the channels of a batch, as torch.nn.functional.batch_norm. C++11.
#ifndef ACLNNOP_ACLNN_BATCH_NORM_H_
#define ACLNNOP_ACLNN_BATCH_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Shifts and scales each channel to mean 0 and variance 1, then by weight and bias. Phase 1.
//   input        in    [N, C, ...], rank 2 to 8, strided
//   weight       in    [C], may be null: ones
//   bias         in    [C], may be null: zeros
//   runningMean  io    [C], may be null: zeros; moves to the batch's mean when training
//   runningVar   io    [C], may be null: ones; moves to the batch's unbiased variance when training
//   training     in    true: with the statistics of this batch; false: with the running ones
//   momentum     in    share of this batch in the running statistics
//   eps          in    is added to the variance
//   output       out   shape and dtype of input; may be input itself
//   saveMean     out   [C], the batch's mean; written when training, else it may be null
//   saveInvstd   out   [C], 1 / sqrt(variance + eps); written when training, else it may be null
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnBatchNormGetWorkspaceSize(
    const aclTensor* input, const aclTensor* weight, const aclTensor* bias, aclTensor* runningMean,
    aclTensor* runningVar, bool training, double momentum, double eps, aclTensor* output,
    aclTensor* saveMean, aclTensor* saveInvstd, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnBatchNorm(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_BATCH_NORM_H_
