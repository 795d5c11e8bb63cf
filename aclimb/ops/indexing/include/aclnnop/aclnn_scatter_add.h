// Adds elements where indices say along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_SCATTER_ADD_H_
#define ACLNNOP_ACLNN_SCATTER_ADD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = self, then out[..., index[i, j, ...], ...] += src[i, j, ...], the index being in
// dimension dim. Sums do not depend on the number of threads.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops scatter_add`
//   dim            in   -rank to rank - 1 of the first tensor
//   index          in   where each entry goes along dim: INT32 or INT64, as many dimensions as the
//                       first tensor; one that is not there is skipped, and the run fails
//                       (507015)
//   src            in   what goes there: at least as large as index; dtype of the first tensor
//   out            out  shape and dtype of self; may be self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnScatterAddGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                      const aclTensor* index, const aclTensor* src,
                                                      aclTensor* out, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnScatterAdd(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SCATTER_ADD_H_
