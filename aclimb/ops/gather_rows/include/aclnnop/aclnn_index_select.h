// Slices of a tensor along one dimension, by their indices. C++11.
#ifndef ACLNNOP_ACLNN_INDEX_SELECT_H_
#define ACLNNOP_ACLNN_INDEX_SELECT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out[..., k, ...] = self[..., index[k], ...], k and index[k] in dimension dim.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops index_select`
//   dim            in   -rank to rank - 1 of self
//   index          in   [K] or rank 0, which counts as [1]; INT64 or INT32; the slice of one
//                       outside [0, self.shape[dim]) is zeros, and the run fails (507015)
//   out            out  shape of self with K for dimension dim; dtype of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, dim outside of self's dimensions
ACLNN_API aclnnStatus aclnnIndexSelectGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                       const aclTensor* index, aclTensor* out,
                                                       uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIndexSelect(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INDEX_SELECT_H_
