// Normalization of the sum of two tensors by the mean square of its rows. C++11.
#ifndef ACLNNOP_ACLNN_ADD_RMS_NORM_H_
#define ACLNNOP_ACLNN_ADD_RMS_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// aclnnRmsNorm of x1 + x2, which is an output too. Phase 1.
//   x1               in    rows are the dimensions that gamma has, strided
//   x2               in    shape and dtype of x1
//   gamma            in    the last dimensions of x1, one at least
//   epsilonOptional  in    is added to the mean square
//   yOut             out   shape and dtype of x1
//   rstdOut          out   a FLOAT for each row: the dimensions before gamma's, then, or not, 1 for
//                          each of these
//   xOut             out   x1 + x2: shape and dtype of x1
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnAddRmsNormGetWorkspaceSize(
    const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma, double epsilonOptional,
    const aclTensor* yOut, const aclTensor* rstdOut, const aclTensor* xOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAddRmsNorm(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADD_RMS_NORM_H_
