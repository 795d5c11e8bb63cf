// Makes one-hot vectors of indices. C++11.
#ifndef ACLNNOP_ACLNN_ONE_HOT_H_
#define ACLNNOP_ACLNN_ONE_HOT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = onValue where the index along the new axis is that in self, else offValue. An index
// outside 0 to numClasses - 1 gives offValue alone. Phase 1.
//
//   self           in   rank 0 to 7, strided, INT32 or INT64
//   numClasses     in   at least 0; above 0 if self has no elements
//   onValue        in   one element, dtype of out
//   offValue       in   one element, dtype of out
//   axis           in   of out, -1 the last
//   out            out  the shape of self with numClasses inserted at axis, strided; dtypes:
//                       `aclimb ops one_hot`
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, numClasses, an axis that is none, another
//            shape of out, a rank above 7, a blocked format
ACLNN_API aclnnStatus aclnnOneHotGetWorkspaceSize(const aclTensor* self, int numClasses,
                                                  const aclTensor* onValue,
                                                  const aclTensor* offValue, int64_t axis,
                                                  aclTensor* out, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnOneHot(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ONE_HOT_H_
