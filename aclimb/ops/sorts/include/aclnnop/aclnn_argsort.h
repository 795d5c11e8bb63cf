// Places of the elements in order along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_ARGSORT_H_
#define ACLNNOP_ACLNN_ARGSORT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Where the elements in order along a dimension are. NaN is larger than all numbers; equal
// elements keep their order.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops argsort`
//   dim            in   -rank to rank - 1 of self
//   descending     in   whether the largest come first
//   out            out  shape of self, INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, dim out of range
ACLNN_API aclnnStatus aclnnArgsortGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                   bool descending, aclTensor* out,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnArgsort(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ARGSORT_H_
