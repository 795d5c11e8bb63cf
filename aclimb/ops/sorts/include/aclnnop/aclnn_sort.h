// Elements in order along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_SORT_H_
#define ACLNNOP_ACLNN_SORT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The elements along a dimension in order and the places where they were. NaN is larger
// than all numbers; equal elements keep their order, whatever `stable` says.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops sort`
//   stable         in   whether equal elements have to keep their order
//   dim            in   -rank to rank - 1 of self
//   descending     in   whether the largest come first
//   valuesOut      out  shape and dtype of self
//   indicesOut     out  shape of self, INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, dim out of range
ACLNN_API aclnnStatus aclnnSortGetWorkspaceSize(const aclTensor* self, bool stable, int64_t dim,
                                                bool descending, aclTensor* valuesOut,
                                                aclTensor* indicesOut, uint64_t* workspaceSize,
                                                aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnSort(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SORT_H_
