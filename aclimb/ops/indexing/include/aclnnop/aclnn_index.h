// Elements or slices by indices for several dimensions. C++11.
#ifndef ACLNNOP_ACLNN_INDEX_H_
#define ACLNNOP_ACLNN_INDEX_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out[..., s..., ...] = self[..., indices[0][s...], indices[1][s...], ...]: the dimensions
// that have indices give way to those that the indices broadcast to, which stand in their place, or
// in front if a dimension between them is whole. As indexing in PyTorch.
//   self           in   rank 1 to 8, strided; dtypes: `aclimb ops index`
//   indices        in   INT32 or INT64 tensors for the first dimensions, which broadcast; counted
//                       from the end if negative. One of the shape [0] leaves its dimension whole.
//                       Masks are turned into indices first (aclnnNonzeroV2)
//   out            out  that shape, dtype of self; the element of an index that is not there is 0,
//                       and the run fails (507015)
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnIndexGetWorkspaceSize(const aclTensor* self,
                                                 const aclTensorList* indices, aclTensor* out,
                                                 uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIndex(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INDEX_H_
