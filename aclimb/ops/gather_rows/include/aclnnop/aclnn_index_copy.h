// Slices of a tensor replaced along one dimension, by their indices. C++11.
#ifndef ACLNNOP_ACLNN_INDEX_COPY_H_
#define ACLNNOP_ACLNN_INDEX_COPY_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. outRef is selfRef, but outRef[..., index[k], ...] = source[..., k, ...], k and index[k]
// in dimension dim. Of equal indices the last one counts.
//   selfRef        in   rank 0 to 8, strided; dtypes: `aclimb ops index_copy`; it is not written
//   dim            in   -rank to rank - 1 of selfRef
//   index          in   [K] or rank 0, which counts as [1]; INT64 or INT32; one outside
//                       [0, selfRef.shape[dim]) is skipped, and the run fails (507015)
//   source         in   shape of selfRef with K for dimension dim; dtype of selfRef
//   outRef         out  shape and dtype of selfRef
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, dim outside of
//                   selfRef's dimensions, Ascend310P, which does not have the operator
ACLNN_API aclnnStatus aclnnIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                     const aclTensor* index,
                                                     const aclTensor* source, aclTensor* outRef,
                                                     uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIndexCopy(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream);

// aclnnIndexCopy with selfRef as the output.
ACLNN_API aclnnStatus aclnnInplaceIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                            const aclTensor* index,
                                                            const aclTensor* source,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnInplaceIndexCopy(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INDEX_COPY_H_
