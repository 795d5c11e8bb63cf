// Slices of a tensor along one dimension, by indices of any shape. C++11.
#ifndef ACLNNOP_ACLNN_GATHER_V2_H_
#define ACLNNOP_ACLNN_GATHER_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out[..., k..., ...] = self[..., index[k...], ...] at dimension dim of self.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops gather_v2`
//   dim            in   -rank to rank - 1 of self
//   index          in   any shape, rank 0 counts as [1]; INT64 or INT32; -1 is the last slice. The
//                       slice of one outside [-n, n) with n = self.shape[dim] is zeros, and the run
//                       fails (507015)
//   out            out  shape of self with those of index in the place of dimension dim; dtype of
//                       self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, dim outside of self's dimensions,
//                   Ascend310P, which does not have the operator
ACLNN_API aclnnStatus aclnnGatherV2GetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                    const aclTensor* index, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnGatherV2(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GATHER_V2_H_
