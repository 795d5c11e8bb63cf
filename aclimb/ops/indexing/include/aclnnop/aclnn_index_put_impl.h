// Changes elements or slices by indices for several dimensions. C++11.
#ifndef ACLNNOP_ACLNN_INDEX_PUT_IMPL_H_
#define ACLNNOP_ACLNN_INDEX_PUT_IMPL_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. What aclnnIndex would select becomes values, or values is added to it. Of equal indices
// the last one counts, or all are added; neither depends on the number of threads.
//   selfRef        in and out  rank 1 to 8, strided; dtypes: `aclimb ops index_put_impl`
//   indices        in   INT32 or INT64 tensors for the first dimensions, which broadcast; counted
//                       from the end if negative. One of the shape [0] leaves its dimension whole.
//                       Masks are turned into indices first (aclnnNonzeroV2)
//   values         in   broadcasts to what aclnnIndex would select; dtype of selfRef
//   accumulate     in   whether values is added
//   unsafe         in   has no effect: indices that are not there are skipped, and the run fails
//                       (507015)
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnIndexPutImplGetWorkspaceSize(
    aclTensor* selfRef, const aclTensorList* indices, const aclTensor* values,
    const bool accumulate, const bool unsafe, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIndexPutImpl(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INDEX_PUT_IMPL_H_
