// Part of a tensor along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_SLICE_H_
#define ACLNNOP_ACLNN_SLICE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = every step-th index from start on that comes before end, along a dimension. Phase 1.
//
//   self           in   rank 1 to 8, strided; dtypes: `aclimb ops slice`
//   dim            in   of self, -1 the last
//   start          in   the first index; one below 0 counts from the end, one outside is cut to
//                       the nearest
//   end            in   behind the last index, counted likewise
//   step           in   above 0
//   out            out  dtype of self, strided; as long in dimension dim as indices are taken
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a dimension that is none, a step of 0 or
//            less, another shape of out, a rank that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnSliceGetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t start,
                                                 int64_t end, int64_t step, aclTensor* out,
                                                 uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnSlice(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SLICE_H_
