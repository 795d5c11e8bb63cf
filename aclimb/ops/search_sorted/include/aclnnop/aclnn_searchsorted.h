// Where values go in a sequence in order. C++11.
#ifndef ACLNNOP_ACLNN_SEARCHSORTED_H_
#define ACLNNOP_ACLNN_SEARCHSORTED_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. How many elements of the sequence are before a value. NaN is larger than all numbers.
//   sortedSequence  in   rank 1 to 8, strided; dtypes: `aclimb ops search_sorted`
//   self            in   rank 0 to 8, strided; the values. dtype of sortedSequence
//   outInt32        in   whether out is INT32 instead of INT64
//   right           in   whether equal elements are before the value too
//   sorter          in   may be null: shape of sortedSequence, INT64; its order
//   out             out  shape of self; INT32 or INT64
//   workspaceSize   out  bytes of device memory for phase 2
//   executor        out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit
ACLNN_API aclnnStatus aclnnSearchSortedGetWorkspaceSize(const aclTensor* sortedSequence,
                                                        const aclTensor* self, const bool outInt32,
                                                        const bool right, const aclTensor* sorter,
                                                        aclTensor* out, uint64_t* workspaceSize,
                                                        aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnSearchSorted(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SEARCHSORTED_H_
