// Inverses of matrices. C++11.
#ifndef ACLNNOP_ACLNN_INVERSE_H_
#define ACLNNOP_ACLNN_INVERSE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The matrix that, multiplied by self, gives ones on the diagonal and zeros elsewhere. It
// is computed in double, and rounded once. A matrix that has none, or one of which double gets less
// than three digits right, gives NaN.
//
//   self           in   [..., M, M]; dtypes: `aclimb ops inverse`
//   out            out  shape of self; another floating dtype is allowed
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, complex ones among them, or a shape that does not
//                   fit
ACLNN_API aclnnStatus aclnnInverseGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInverse(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INVERSE_H_
