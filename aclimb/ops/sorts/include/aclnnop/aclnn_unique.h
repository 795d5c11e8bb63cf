// The different elements of a tensor. C++11.
#ifndef ACLNNOP_ACLNN_UNIQUE_H_
#define ACLNNOP_ACLNN_UNIQUE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The different elements in ascending order. NaN is larger than all numbers and different
// from every NaN. After the run the shape of valueOut is how many there are (aclGetViewShape, once
// the stream is synchronised); what comes behind them is 0.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops unique`
//   sorted         in   whether valueOut has to be in order; it always is
//   returnInverse  in   whether inverseOut is written
//   valueOut       out  one dimension, as long as self has elements; dtype of self
//   inverseOut     out  where each element is in valueOut: shape of self, INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit
ACLNN_API aclnnStatus aclnnUniqueGetWorkspaceSize(const aclTensor* self, bool sorted,
                                                  bool returnInverse, aclTensor* valueOut,
                                                  aclTensor* inverseOut, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUnique(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UNIQUE_H_
