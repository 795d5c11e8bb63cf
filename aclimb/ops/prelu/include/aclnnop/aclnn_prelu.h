// What is not above 0 times a weight, of which each channel may have its own. C++11.
#ifndef ACLNNOP_ACLNN_PRELU_H_
#define ACLNNOP_ACLNN_PRELU_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = x where x > 0, else weight * x.
//
//   self           in   any shape; FLOAT or FLOAT16, on newer chips also BFLOAT16
//   weight         in   one element, or one for each channel of self: for self.shape[1], or 1 if
//                       self has fewer than two dimensions. At most one dimension is not 1; the
//                       dtypes of self
//   out            out  shape of self; the dtypes of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, a shape that does not fit
ACLNN_API aclnnStatus aclnnPreluGetWorkspaceSize(const aclTensor* self, const aclTensor* weight,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnPrelu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_PRELU_H_
