// Vector products. C++11.
#ifndef ACLNNOP_ACLNN_LINALG_CROSS_H_
#define ACLNNOP_ACLNN_LINALG_CROSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = self x other, vectors of three elements along a dimension.
//
//   self           in   rank 1 to 8; dtypes: `aclimb ops linalg_cross`
//   other          in   broadcasts with self; dtype of self
//   dim            in   the dimension of out along which vectors lie, -1 the last
//   out            out  the shape to which self and other broadcast, 3 along dim; dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, complex ones among them, a shape or dim that does
//            not fit
ACLNN_API aclnnStatus aclnnLinalgCrossGetWorkspaceSize(const aclTensor* self,
                                                       const aclTensor* other, int64_t dim,
                                                       aclTensor* out, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnLinalgCross(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LINALG_CROSS_H_
