// Indices of the elements that are not 0. C++11.
#ifndef ACLNNOP_ACLNN_NONZERO_H_
#define ACLNNOP_ACLNN_NONZERO_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The indices of the elements that are not 0, in row-major order, a row each. After the
// run the shape of out is [how many there are, rank of self] (aclGetViewShape, once the stream is
// synchronised).
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops nonzero`
//   out            out  [number of elements, rank of self], INT64, without gaps; the rest becomes 0
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit
ACLNN_API aclnnStatus aclnnNonzeroGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnNonzero(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_NONZERO_H_
