// Adds slices along a dimension, by their indices. C++11.
#ifndef ACLNNOP_ACLNN_INDEX_ADD_H_
#define ACLNNOP_ACLNN_INDEX_ADD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = self, then out[..., index[k], ...] += alpha * source[..., k, ...], k and index[k]
// in dimension dim. Sums do not depend on the number of threads.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops index_add`
//   dim            in   -rank to rank - 1 of the first tensor
//   index          in   [K] or rank 0, which counts as [1]; INT32 or INT64; one that self does not
//                       have is skipped, and the run fails (507015)
//   source         in   shape of self with K for dimension dim; dtype of self
//   alpha          in   a real number, for integers a whole one
//   out            out  shape and dtype of self; may be self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnIndexAddGetWorkspaceSize(const aclTensor* self, const int64_t dim,
                                                    const aclTensor* index, const aclTensor* source,
                                                    const aclScalar* alpha, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIndexAdd(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INDEX_ADD_H_
