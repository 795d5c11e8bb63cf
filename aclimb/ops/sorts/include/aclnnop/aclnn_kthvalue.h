// The k-th smallest elements along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_KTHVALUE_H_
#define ACLNNOP_ACLNN_KTHVALUE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The element that stands at place k, counted from 1, when a dimension is sorted in
// ascending order, and its place before. NaN is larger than all numbers.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops kthvalue`
//   k              in   1 to self.shape[dim]
//   dim            in   -rank to rank - 1 of self
//   keepdim        in   whether the dimension is kept, as 1
//   valuesOut      out  shape of self without that dimension; dtype of self
//   indicesOut     out  the same shape, INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, dim or k out of range
ACLNN_API aclnnStatus aclnnKthvalueGetWorkspaceSize(const aclTensor* self, int64_t k, int64_t dim,
                                                    bool keepdim, aclTensor* valuesOut,
                                                    aclTensor* indicesOut, uint64_t* workspaceSize,
                                                    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnKthvalue(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_KTHVALUE_H_
