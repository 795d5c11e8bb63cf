// Products of all elements so far along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_CUMPROD_H_
#define ACLNNOP_ACLNN_CUMPROD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out[i] = input[0] * ... * input[i] along the dimension, of elements that were converted
// to dtype; floating ones are multiplied in double and rounded once, integers wrap. On A2 and later
// chips.
//
//   input          in   rank 0 to 8, strided; FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64,
//                       UINT8, BF16
//   dim            in   the dimension, an integer from -rank to rank - 1
//   dtype          in   the dtype of out
//   out            out  shape of input, strided; dtypes as of input
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, unequal shapes, a dimension, a rank above 8, a blocked format
ACLNN_API aclnnStatus aclnnCumprodGetWorkspaceSize(const aclTensor* input, const aclScalar* dim,
                                                   const aclDataType dtype, aclTensor* out,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnCumprod(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

// Phase 1. The same in place, in the dtype of input.
//
//   input          in and out  rank 0 to 8, strided; dtypes as above
//   dim            in          the dimension, an integer from -rank to rank - 1
//   workspaceSize  out         bytes of device memory for phase 2
//   executor       out         for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, unequal shapes, a dimension, a rank above 8, a blocked format
ACLNN_API aclnnStatus aclnnInplaceCumprodGetWorkspaceSize(aclTensor* input, const aclScalar* dim,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceCumprod(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CUMPROD_H_
