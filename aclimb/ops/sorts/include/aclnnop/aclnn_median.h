// Medians of all elements, and along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_MEDIAN_H_
#define ACLNNOP_ACLNN_MEDIAN_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The element in the middle of all when they are sorted, of two the lower one. NaN if one
// is among them, or if there are none.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops median`
//   valuesOut      out  rank 0 or [1]; dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit
ACLNN_API aclnnStatus aclnnMedianGetWorkspaceSize(const aclTensor* self, aclTensor* valuesOut,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMedian(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

// Phase 1. The same along a dimension, and its place: the first one of NaNs, else as if equal
// elements were sorted by their places.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops median_dim`
//   dim            in   -rank to rank - 1 of self, a dimension that has elements
//   keepDim        in   whether the dimension is kept, as 1
//   valuesOut      out  shape of self without that dimension; dtype of self
//   indicesOut     out  the same shape, INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, dim out of range
ACLNN_API aclnnStatus aclnnMedianDimGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                     bool keepDim, aclTensor* valuesOut,
                                                     aclTensor* indicesOut, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMedianDim(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MEDIAN_H_
