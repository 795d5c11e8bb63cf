// The least of all elements so far along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_CUMMIN_H_
#define ACLNNOP_ACLNN_CUMMIN_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. valuesOut[i] = the least of self[0] to self[i] along the dimension, NaN from the first
// NaN on, and indicesOut[i] where it is: the last place of equal ones.
//
//   self        in   rank 0 to 8, strided; FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64,
//                    UINT8, BOOL, on A2 and later chips BF16
//   dim         in   the dimension, from -rank to rank - 1
//   valuesOut   out  shape and dtype of self, strided
//   indicesOut  out  shape of self, strided; INT32 or INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, unequal shapes, a dimension, a rank above 8, a blocked format
ACLNN_API aclnnStatus aclnnCumminGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                  aclTensor* valuesOut, aclTensor* indicesOut,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnCummin(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CUMMIN_H_
