// Replaces elements by a mask. C++11.
#ifndef ACLNNOP_ACLNN_MASKED_SCATTER_H_
#define ACLNNOP_ACLNN_MASKED_SCATTER_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The elements of selfRef where mask is true become those of source, one after the other
// in row-major order.
//   selfRef        in and out  rank 0 to 8, strided; dtypes: `aclimb ops inplace_masked_scatter`
//   mask           in   BOOL or UINT8, broadcasts to selfRef
//   source         in   dtype of selfRef, at least as many elements as mask is true; where it ends
//                       selfRef stays as it is
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit
ACLNN_API aclnnStatus aclnnInplaceMaskedScatterGetWorkspaceSize(aclTensor* selfRef,
                                                                const aclTensor* mask,
                                                                const aclTensor* source,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceMaskedScatter(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MASKED_SCATTER_H_
