// Sums along dimensions that leave out NaN. C++11.
#ifndef ACLNNOP_ACLNN_REDUCE_NANSUM_H_
#define ACLNNOP_ACLNN_REDUCE_NANSUM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out is the sum of the elements of self along `dim` that are not NaN: 0 of none.
//
//   self           in   rank 0 to 8; FLOAT, FLOAT16, BFLOAT16, INT8, INT16, INT32, INT64, UINT8,
//                       BOOL
//   dim            in   dimensions that are reduced, from -rank to rank - 1; no entry means all
//   keepDim        in   whether they are kept, as 1
//   dtype          in   what elements are converted to first
//   out            out  what is left of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a dimension, a shape, a chip without this operator
ACLNN_API aclnnStatus aclnnReduceNansumGetWorkspaceSize(const aclTensor* self,
                                                        const aclIntArray* dim, bool keepDim,
                                                        aclDataType dtype, aclTensor* out,
                                                        uint64_t* workspaceSize,
                                                        aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnReduceNansum(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_REDUCE_NANSUM_H_
