// The least and the greatest elements along dimensions. C++11.
#ifndef ACLNNOP_ACLNN_AMINMAX_H_
#define ACLNNOP_ACLNN_AMINMAX_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The least and the greatest element along dimensions, NaN if one is among them.
//
//   self     in   rank 0 to 8, strided; FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8,
//                 BOOL, on A2 and later chips BF16
//   dim      in   the dimensions, from -rank to rank - 1; none means all
//   keepDim  in   whether the dimensions are kept, as 1
//   minOut   out  the shape of self without those dimensions, strided; dtype of self
//   maxOut   out  the same
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a shape, a dimension, nothing to choose from, a rank above 8, a
//            blocked format
ACLNN_API aclnnStatus aclnnAminmaxGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim,
                                                   bool keepDim, aclTensor* minOut,
                                                   aclTensor* maxOut, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAminmax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_AMINMAX_H_
