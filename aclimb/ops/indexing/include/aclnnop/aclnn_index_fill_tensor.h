// Fills slices along a dimension with a number. C++11.
#ifndef ACLNNOP_ACLNN_INDEX_FILL_TENSOR_H_
#define ACLNNOP_ACLNN_INDEX_FILL_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = self, then the slices of dimension dim that index names are value.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops index_fill_tensor`
//   dim            in   -rank to rank - 1 of the first tensor
//   index          in   indices of slices, counted from the end if negative
//   value          in   a real number, one of the tensor's dtype where that is of integers
//   out            out  shape and dtype of self; may be self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnIndexFillTensorGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                           const aclIntArray* index,
                                                           const aclScalar* value, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIndexFillTensor(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

// Phase 1. The same in place.
//   selfRef        in and out  rank 0 to 8, strided; dtypes:
//                       `aclimb ops inplace_index_fill_tensor`
//   dim            in   -rank to rank - 1 of the first tensor
//   index          in   indices of slices, counted from the end if negative
//   value          in   a real number, one of the tensor's dtype where that is of integers
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnInplaceIndexFillTensorGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                                  const aclIntArray* index,
                                                                  const aclScalar* value,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceIndexFillTensor(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INDEX_FILL_TENSOR_H_
