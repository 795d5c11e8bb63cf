// Normalization of rows by their mean square. C++11.
#ifndef ACLNNOP_ACLNN_RMS_NORM_H_
#define ACLNNOP_ACLNN_RMS_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Divides each row by the root of its mean square and multiplies it by gamma. Phase 1.
//   x        in    rows are the dimensions that gamma has, strided
//   gamma    in    the last dimensions of x, one at least
//   epsilon  in    is added to the mean square
//   yOut     out   shape and dtype of x; may be x itself
//   rstdOut  out   a FLOAT for each row: the dimensions before gamma's, then, or not, 1 for each of
//                  these
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnRmsNormGetWorkspaceSize(const aclTensor* x, const aclTensor* gamma,
                                                   double epsilon, const aclTensor* yOut,
                                                   const aclTensor* rstdOut,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRmsNorm(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RMS_NORM_H_
